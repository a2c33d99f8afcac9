import * as z from 'zod/mini';
import type { BatchId } from '../../domain/identity.ts';
import type { JobEntry, JobRequests } from '../../domain/job/job-requests.ts';
import { textOf } from '../../json/json-spans.ts';
import { memoized } from '../memoized.ts';
import type { Objects } from './objects.ts';

const textKey = (batchId: BatchId): string => `requests/${batchId}.json`;
const indexKey = (batchId: BatchId): string => `requests/${batchId}.index.json`;

/** Requests of clients in the work bucket: `requests/<batch>.json`, and its index. */
export function s3JobRequests(objects: Objects): JobRequests {
  const readIndex = async (batchId: BatchId): Promise<readonly JobEntry[]> => {
    const index: unknown = JSON.parse(textOf(await objects.read(indexKey(batchId))));
    return z.array(row).parse(index).map(fromRow);
  };
  // An index never changes, and the steps of a batch follow each other in a warm function.
  let last = { batchId: '', entries: async (): Promise<readonly JobEntry[]> => [] };
  return {
    async write(batchId, text, entries) {
      await Promise.all([
        objects.write(textKey(batchId), text),
        objects.write(indexKey(batchId), JSON.stringify(entries.map(toRow))),
      ]);
    },
    text: (batchId) => objects.read(textKey(batchId)),
    entries(batchId) {
      if (last.batchId !== batchId) last = { batchId, entries: memoized(() => readIndex(batchId)) };
      return last.entries();
    },
    job: (batchId, entry) => objects.read(textKey(batchId), entry),
  };
}

const count = z.int().check(z.nonnegative());

/**
 * A status of all jobs reads a thousand entries, so a row is an array without field names. Cells of a
 * newer version are ignored: during a deployment both versions read each other's indexes.
 */
const row = z.tuple(
  [
    count,
    z.int().check(z.positive()),
    z.int(),
    z.nullable(z.string()),
    z.nullable(z.string()),
    count,
    // The failed job that this one retries.
    z.optional(z.nullable(z.tuple([z.string(), count]))),
    // The charge; absent if it equals the area.
    z.optional(count),
  ],
  z.unknown(),
);

function toRow(entry: JobEntry): z.infer<typeof row> {
  const { offset, length, year, name, model, squareMetres, chargedSquareMetres, retryOf } = entry;
  const cells = [offset, length, year, name, model, squareMetres] as const;
  const retried = retryOf === undefined ? null : ([retryOf.batchId, retryOf.index] as const);
  if (chargedSquareMetres !== squareMetres) {
    return [...cells, retried === null ? null : [...retried], chargedSquareMetres];
  }
  return retried === null ? [...cells] : [...cells, [...retried]];
}

function fromRow(cells: z.infer<typeof row>): JobEntry {
  const [offset, length, year, name, model, squareMetres, retried, charge] = cells;
  const area = { squareMetres, chargedSquareMetres: charge ?? squareMetres };
  const entry = { offset, length, year, name, model, ...area };
  if (retried === undefined || retried === null) return entry;
  const [batchId, index] = retried;
  return { ...entry, retryOf: { batchId, index } };
}
