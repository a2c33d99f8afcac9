import * as z from 'zod/mini';
import { decodeSpan } from '#engine/json/json-bytes.ts';
import { errorWidths } from '#engine/raster/summary/block-sums.ts';
import { type CoarseNodes, NUMBERS_PER_NODE } from '#engine/raster/summary/coarse-nodes.ts';
import type { BatchId } from '../identity.ts';

const notNegative = z.number().check(z.minimum(0));

const fields = z.strictObject({
  job_index: z.int().check(z.nonnegative()),
  /** Σ fᵢ, the area of the cells with a value, in square metres. */
  square_metres: z.number().check(z.gt(0)),
  /** The errors that the model declares: c₀, a, s and z in the formulas, and the probability of the interval. */
  nugget: notNegative.check(z.maximum(1)),
  range_m: z.number().check(z.gt(0)),
  systematic_relative_sd: notNegative,
  z: z.number().check(z.gt(0)),
  level: z.number().check(z.gt(0), z.lt(1)),
  /** The values that the property can have; null for an open end. */
  support: z.strictObject({ lower: z.nullable(z.number()), upper: z.nullable(z.number()) }),
  /** The sums Σ fᵢ² σ′ᵢ² and ΣΣ fᵢ fⱼ σ′ᵢ σ′ⱼ e^(−h ÷ a). */
  squares: notNegative,
  pairs: notNegative,
  widths: errorWidths,
  origin: z.tuple([z.number(), z.number(), z.number()]),
  nodes: z.int().check(z.nonnegative()),
});

/** A job's prediction errors as a total needs them; explained in `docs/intervals.md`. */
export type PredictionErrors = Readonly<Omit<z.infer<typeof fields>, 'origin' | 'nodes'>> & {
  /** Null if all errors are 0. */
  readonly nodes: CoarseNodes | null;
};

const FORMAT = 'soil-errors/1';
const header = z.object({ format: z.literal(FORMAT), jobs: z.array(fields) });

const LENGTH_BYTES = 4;

/** Encodes the length of a header, the header as JSON, then the nodes of all jobs, little-endian. */
export function encodePredictionErrors(jobs: readonly PredictionErrors[]): Uint8Array {
  const described = jobs.map(({ nodes, ...job }) => ({
    ...job,
    origin: nodes?.origin ?? [0, 0, 0],
    nodes: (nodes?.values.length ?? 0) / NUMBERS_PER_NODE,
  }));
  const json = JSON.stringify({ format: FORMAT, jobs: described });
  // Padded, so that the numbers start at a multiple of their size.
  const text = Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(text.length);
  const numbers = jobs.flatMap(({ nodes }) =>
    nodes === null
      ? []
      : [Buffer.from(nodes.values.buffer, nodes.values.byteOffset, nodes.values.byteLength)],
  );
  return Buffer.concat([length, text, ...numbers]);
}

export function decodePredictionErrors(bytes: Uint8Array): readonly PredictionErrors[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = LENGTH_BYTES + view.getUint32(0, true);
  const text = decodeSpan(bytes.subarray(LENGTH_BYTES, at));
  return header.parse(JSON.parse(text)).jobs.map(({ origin, nodes, ...job }) => {
    const length = nodes * NUMBERS_PER_NODE * Float32Array.BYTES_PER_ELEMENT;
    const values = new Float32Array(new Uint8Array(bytes.subarray(at, at + length)).buffer);
    at += length;
    return { ...job, nodes: nodes === 0 ? null : { origin, values } };
  });
}

/** Port to jobs' prediction errors, in the format of {@link encodePredictionErrors}. */
export interface JobPredictionErrors {
  /** Stores them at least until the batch is finished. */
  write(batchId: BatchId, jobIndex: number, bytes: Uint8Array): Promise<void>;
  /** @throws Error if the job has no stored errors */
  read(batchId: BatchId, jobIndex: number): Promise<Uint8Array>;
}

/** Port to the joined prediction errors of a batch's jobs, in the same format. */
export interface BatchPredictionErrors {
  /** Stores them for as long as the results. If written repeatedly, the first write counts. */
  write(batchId: BatchId, bytes: Uint8Array): Promise<void>;
  /** Returns null if no job has prediction errors. */
  read(batchId: BatchId): Promise<Uint8Array | null>;
}
