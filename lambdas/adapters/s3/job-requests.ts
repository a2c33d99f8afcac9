import * as z from 'zod/mini';
import type { BatchId } from '../../domain/identity.ts';
import type { JobEntry, JobRequests } from '../../domain/job/job-requests.ts';
import type { Objects } from './objects.ts';

const textKey = (batchId: BatchId): string => `requests/${batchId}.json`;
const indexKey = (batchId: BatchId): string => `requests/${batchId}.index.json`;

/** What clients sent, in the work bucket: `requests/<batch>.json` and its index beside it. */
export function s3JobRequests(objects: Objects): JobRequests {
  return {
    async write(batchId, text, entries) {
      await Promise.all([
        objects.write(textKey(batchId), text),
        objects.write(indexKey(batchId), JSON.stringify(entries.map(toRow))),
      ]);
    },
    text: (batchId) => objects.read(textKey(batchId)),
    async entries(batchId) {
      const rows = jsonOf(await objects.read(indexKey(batchId)));
      return z.array(row).parse(rows).map(fromRow);
    },
    async polygon(batchId, entry) {
      const job = jsonOf(await objects.read(textKey(batchId), entry));
      return z.object({ polygon: z.unknown() }).parse(job).polygon;
    },
  };
}

function jsonOf(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes));
}

const count = z.int().check(z.nonnegative());

/** A thousand entries are read at every status of all jobs, so a row is an array without names. */
const row = z.tuple([
  count,
  z.int().check(z.positive()),
  z.int(),
  z.nullable(z.string()),
  z.nullable(z.string()),
  // Absent in what was stored before quotas.
  z._default(count, 0),
  z.optional(z.tuple([z.string(), count])),
]);

function toRow(entry: JobEntry): z.infer<typeof row> {
  const { offset, length, year, name, model, squareMetres, retryOf } = entry;
  const cells = [offset, length, year, name, model, squareMetres] as const;
  return retryOf === undefined ? [...cells] : [...cells, [retryOf.batchId, retryOf.index]];
}

function fromRow(cells: z.infer<typeof row>): JobEntry {
  const [offset, length, year, name, model, squareMetres, retried] = cells;
  const entry = { offset, length, year, name, model, squareMetres };
  if (retried === undefined) return entry;
  const [batchId, index] = retried;
  return { ...entry, retryOf: { batchId, index } };
}
