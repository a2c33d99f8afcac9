import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import type { BatchId } from '../../domain/identity.ts';
import type { JobEntry, JobRequests } from '../../domain/job/job-requests.ts';

const textKey = (batchId: BatchId): string => `requests/${batchId}.json`;
export const indexKey = (batchId: BatchId): string => `requests/${batchId}.index.json`;

/** What clients sent, in the work bucket: `requests/<batch>.json` and its index beside it. */
export function s3JobRequests(client: S3Client, bucket: string): JobRequests {
  return {
    async write(batchId, text, entries) {
      await Promise.all([
        client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: textKey(batchId),
            Body: text,
            ContentType: 'application/json',
          }),
        ),
        client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: indexKey(batchId),
            Body: JSON.stringify(entries.map(toRow)),
            ContentType: 'application/json',
          }),
        ),
      ]);
    },

    async text(batchId) {
      const { Body } = await client.send(
        new GetObjectCommand({ Bucket: bucket, Key: textKey(batchId) }),
      );
      if (Body === undefined) throw new Error(`${textKey(batchId)} came without its bytes`);
      return Body.transformToByteArray();
    },

    async entries(batchId) {
      const { Body } = await client.send(
        new GetObjectCommand({ Bucket: bucket, Key: indexKey(batchId) }),
      );
      return readIndex((await Body?.transformToString()) ?? '');
    },

    async polygon(batchId, { offset, length }) {
      const { Body } = await client.send(
        new GetObjectCommand({
          Bucket: bucket,
          Key: textKey(batchId),
          Range: `bytes=${offset}-${offset + length - 1}`,
        }),
      );
      const job: unknown = JSON.parse((await Body?.transformToString('utf-8')) ?? '');
      return z.object({ polygon: z.unknown() }).parse(job).polygon;
    },
  };
}

/** @param text of the index object */
export function readIndex(text: string): readonly JobEntry[] {
  return z.array(row).parse(JSON.parse(text)).map(fromRow);
}

/** A thousand entries are read at every status of all jobs, so a row is an array without names. */
const row = z.tuple([
  z.number().int().nonnegative(),
  z.number().int().positive(),
  z.number().int(),
  z.string().nullable(),
  z.string().nullable(),
  // Absent in what was stored before quotas.
  z.number().int().nonnegative().default(0),
  z.tuple([z.string(), z.number().int().nonnegative()]).optional(),
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
