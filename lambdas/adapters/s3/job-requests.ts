import * as z from 'zod/mini';
import { type Span, textOf } from '#engine/json/json-spans.ts';
import type { BatchId } from '../../domain/identity.ts';
import type { JobEntry, JobParts, JobRequests } from '../../domain/job/job-requests.ts';
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
    job: (batchId, range) => objects.read(textKey(batchId), range),
  };
}

const count = z.int().check(z.nonnegative());

/** Where a job's properties and coordinates start and end in its text; 0 and 0 if there are none. */
const partSpans = z.tuple([count, count, count, count]);

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
    z.nullable(z.tuple([z.string(), count])),
    // The charge.
    count,
    partSpans,
  ],
  z.unknown(),
);

function toRow(entry: JobEntry): z.infer<typeof row> {
  const { offset, length, year, name, model, squareMetres, chargedSquareMetres } = entry;
  const { retryOf, parts } = entry;
  const retried: [string, number] | null =
    retryOf === undefined ? null : [retryOf.batchId, retryOf.index];
  const sent = [offset, length, year, name, model] as const;
  return [...sent, squareMetres, retried, chargedSquareMetres, toSpans(parts)];
}

function fromRow(cells: z.infer<typeof row>): JobEntry {
  const [offset, length, year, name, model, squareMetres, retried, charge, spans] = cells;
  const [batchId, index = 0] = retried ?? [];
  return {
    ...{ offset, length, year, name, model, squareMetres },
    chargedSquareMetres: charge,
    ...(batchId === undefined ? {} : { retryOf: { batchId, index } }),
    parts: fromSpans(spans),
  };
}

function toSpans({ properties, coordinates }: JobParts): z.infer<typeof partSpans> {
  const { start, end } = properties ?? NO_PART;
  const { start: first, end: last } = coordinates ?? NO_PART;
  return [start, end, first, last];
}

function fromSpans([start, end, first, last]: z.infer<typeof partSpans>): JobParts {
  return {
    properties: end === 0 ? null : { start, end },
    coordinates: last === 0 ? null : { start: first, end: last },
  };
}

const NO_PART: Span = { start: 0, end: 0 };
