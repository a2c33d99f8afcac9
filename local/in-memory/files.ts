import { spansOf } from '#engine/json/json-spans.ts';
import { type BlockIndex, isBlockIndex, parseBlockIndex } from '#engine/raster/cog/block-index.ts';
import type { JobEntry, JobParts, JobRequests } from '../../lambdas/domain/job/job-requests.ts';
import {
  partsOf,
  polygonIn,
  READ_OF_POLYGON,
  storedParts,
} from '../../lambdas/domain/job/job-text.ts';
import type { BlockStore } from '../../lambdas/domain/patch-batch/patch-batch.ts';
import type {
  BatchPredictionErrors,
  JobPredictionErrors,
} from '../../lambdas/domain/total/prediction-errors.ts';

/** A job as a client sends it. */
export interface JobRequest {
  readonly polygon: unknown;
  readonly year: number;
  readonly model?: string;
  readonly name?: string;
  readonly properties?: object;
}

export interface RequestFiles extends JobRequests {
  /** Stores jobs as the API does: their text, and the position of each in it. */
  put(batchId: string, jobs: readonly JobRequest[]): Promise<void>;
}

/** As creation finds them, by searching all of a job's text. */
export function partsIn(job: Uint8Array): JobParts {
  const polygon = polygonIn(job);
  const spans = spansOf(job, { polygon: READ_OF_POLYGON, properties: {} });
  return storedParts(partsOf(job, spans, polygon), polygon);
}

export function inMemoryRequests(): RequestFiles {
  const texts = new Map<string, Uint8Array>();
  const indexes = new Map<string, readonly JobEntry[]>();
  const write = async (batchId: string, text: Uint8Array, entries: readonly JobEntry[]) => {
    texts.set(batchId, text);
    indexes.set(batchId, entries);
  };
  return {
    write,
    async put(batchId, jobs) {
      const encoded = jobs.map((job) => new TextEncoder().encode(JSON.stringify(job)));
      let offset = 1;
      const entries = jobs.map((job, index): JobEntry => {
        const text = encoded[index] ?? new Uint8Array(0);
        const entry = {
          offset,
          length: text.length,
          name: job.name ?? null,
          year: job.year,
          model: job.model ?? null,
          squareMetres: 10_000,
          chargedSquareMetres: 10_000,
          parts: partsIn(text),
        };
        offset += text.length + 1;
        return entry;
      });
      await write(batchId, new TextEncoder().encode(JSON.stringify(jobs)), entries);
    },
    async text(batchId) {
      return texts.get(batchId) ?? new Uint8Array(0);
    },
    async entries(batchId) {
      return indexes.get(batchId) ?? [];
    },
    async job(batchId, { offset, length }) {
      return texts.get(batchId)?.subarray(offset, offset + length) ?? new Uint8Array(0);
    },
  };
}

export interface BlockFiles extends BlockStore {
  readonly bytes: Map<string, Uint8Array>;
  readonly indexes: Map<string, string>;
}

export function inMemoryBlocks(): BlockFiles {
  const bytes = new Map<string, Uint8Array>();
  const indexes = new Map<string, string>();
  const ref = (batchId: string, jobIndex: number, idx: number) => `${batchId}/${jobIndex}/${idx}`;
  return {
    bytes,
    indexes,
    ref,
    async write(batchId, jobIndex, idx, block) {
      bytes.set(ref(batchId, jobIndex, idx), block.bytes.slice());
      indexes.set(ref(batchId, jobIndex, idx), JSON.stringify(block.index));
    },
    async copy(from, to) {
      const [source, target] = [from, to].map((at) => ref(at.batchId, at.jobIndex, at.idx));
      const block = bytes.get(source ?? '');
      const index = indexes.get(source ?? '');
      if (block === undefined || index === undefined || target === undefined) return false;
      if (!isBlockIndex(JSON.parse(index))) return false;
      bytes.set(target, block);
      indexes.set(target, index);
      return true;
    },
    async readIndex(batchId, jobIndex, idx): Promise<BlockIndex> {
      return parseBlockIndex(JSON.parse(indexes.get(ref(batchId, jobIndex, idx)) ?? 'null'));
    },
    async read(name, offset, into) {
      const block = bytes.get(name);
      const end = offset + into.length;
      if (block === undefined || end > block.length) throw new Error(`no ${name}`);
      into.set(block.subarray(offset, end));
    },
  };
}

export interface PredictionErrorFiles {
  readonly jobPredictionErrors: JobPredictionErrors;
  readonly batchPredictionErrors: BatchPredictionErrors;
}

export function inMemoryPredictionErrors(): PredictionErrorFiles {
  const jobs = new Map<string, Uint8Array>();
  const batches = new Map<string, Uint8Array>();
  return {
    jobPredictionErrors: {
      async write(batchId, jobIndex, bytes) {
        jobs.set(`${batchId}/${jobIndex}`, bytes.slice());
      },
      async read(batchId, jobIndex) {
        const bytes = jobs.get(`${batchId}/${jobIndex}`);
        if (bytes === undefined) throw new Error(`no errors of job ${jobIndex}`);
        return bytes;
      },
    },
    batchPredictionErrors: {
      async write(batchId, bytes) {
        if (!batches.has(batchId)) batches.set(batchId, bytes.slice());
      },
      read: async (batchId) => batches.get(batchId) ?? null,
    },
  };
}
