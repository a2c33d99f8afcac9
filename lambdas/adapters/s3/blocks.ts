import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { BatchId } from '../../domain/identity.ts';
import type { BlockStore } from '../../domain/patch-batch/block-store.ts';
import { parseBlockIndex } from '../../raster/cog/block-index.ts';

/** Blocks in the work bucket: `work/<batch>/<job index>/<idx>.block` and its index beside it. */
export function s3BlockStore(client: S3Client, bucket: string): BlockStore {
  return {
    ref: blockKey,

    async write(batchId, jobIndex, idx, { bytes, index }) {
      await Promise.all([
        client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: blockKey(batchId, jobIndex, idx),
            Body: bytes,
          }),
        ),
        client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: indexKey(batchId, jobIndex, idx),
            Body: JSON.stringify(index),
            ContentType: 'application/json',
          }),
        ),
      ]);
    },

    async copy(from, to) {
      const copies = [blockKey, indexKey].map((keyOf) =>
        client.send(
          new CopyObjectCommand({
            Bucket: bucket,
            Key: keyOf(to.batchId, to.jobIndex, to.idx),
            CopySource: `${bucket}/${keyOf(from.batchId, from.jobIndex, from.idx)}`,
          }),
        ),
      );
      try {
        await Promise.all(copies);
        return true;
      } catch (error) {
        if (error instanceof Error && GONE.has(error.name)) return false;
        throw error;
      }
    },

    async readIndex(batchId, jobIndex, idx) {
      const { Body } = await client.send(
        new GetObjectCommand({ Bucket: bucket, Key: indexKey(batchId, jobIndex, idx) }),
      );
      return parseBlockIndex(JSON.parse((await Body?.transformToString()) ?? ''));
    },

    async read(ref, offset, into) {
      // HTTP has no empty range (RFC 9110 section 14.1.2).
      if (into.length === 0) return;
      const { Body } = await client.send(
        new GetObjectCommand({
          Bucket: bucket,
          Key: ref,
          Range: `bytes=${offset}-${offset + into.length - 1}`,
        }),
      );
      let filled = 0;
      for await (const piece of chunksOf(Body)) {
        if (filled + piece.length <= into.length) into.set(piece, filled);
        filled += piece.length;
      }
      if (filled !== into.length) {
        throw new Error(`${ref}: ${filled} bytes at ${offset} where ${into.length} were due`);
      }
    },
  };
}

/** A body as it comes; in Node it is a stream of Node's. */
async function* chunksOf(body: unknown): AsyncGenerator<Uint8Array> {
  if (body instanceof Readable) yield* body;
}

/** S3 answers 403 for what is not there to whoever may not list. */
const GONE: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound', 'AccessDenied']);

const folder = (batchId: BatchId, jobIndex: number): string => `work/${batchId}/${jobIndex}`;

function blockKey(batchId: BatchId, jobIndex: number, idx: number): string {
  return `${folder(batchId, jobIndex)}/${idx}.block`;
}

function indexKey(batchId: BatchId, jobIndex: number, idx: number): string {
  return `${folder(batchId, jobIndex)}/${idx}.index.json`;
}
