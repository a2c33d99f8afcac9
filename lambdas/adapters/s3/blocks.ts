import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { BatchId } from '../../domain/identity.ts';
import type { BlockId, BlockStore } from '../../domain/patch-batch/block-store.ts';
import { parseBlockIndex } from '../../raster/cog/block-index.ts';

/**
 * Blocks in the work bucket: `work/<batch>/<job index>/<idx>.block`. A block's index is metadata of its
 * object, so that most blocks are one request; one too long for that lies beside it.
 */
export function s3BlockStore(client: S3Client, bucket: string): BlockStore {
  const put = (Key: string, Body: Uint8Array | string, Metadata: Record<string, string> = {}) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key, Body, Metadata }));
  const copyOf = (from: string, to: string) =>
    client.send(
      new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource: `${bucket}/${from}` }),
    );
  /** Undefined for an index that lies beside its block. */
  const indexWithin = async (key: string): Promise<string | undefined> => {
    const { Metadata } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
    return Metadata?.[INDEX];
  };
  return {
    ref: blockKey,

    async write(batchId, jobIndex, idx, { bytes, index }) {
      const text = JSON.stringify(index);
      const key = blockKey(batchId, jobIndex, idx);
      if (INDEX.length + text.length <= MAX_METADATA_BYTES) {
        await put(key, bytes, { [INDEX]: text });
      } else {
        await Promise.all([put(key, bytes), put(indexKey(batchId, jobIndex, idx), text)]);
      }
    },

    async copy(from, to) {
      const [theirs, ours] = [keysOf(from), keysOf(to)];
      try {
        const isWithin = (await indexWithin(theirs.block)) !== undefined;
        await Promise.all([
          // Metadata goes with it.
          copyOf(theirs.block, ours.block),
          ...(isWithin ? [] : [copyOf(theirs.index, ours.index)]),
        ]);
        return true;
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
    },

    async readIndex(batchId, jobIndex, idx) {
      const within = await indexWithin(blockKey(batchId, jobIndex, idx));
      if (within !== undefined) return parseBlockIndex(JSON.parse(within));
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

/** Name of the metadata. */
const INDEX = 'index';

/**
 * Names and values together, US-ASCII, as our indexes are:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
 */
const MAX_METADATA_BYTES = 2_048;

/** S3 answers 403 for what is not there to whoever may not list; to a HEAD without a name for it. */
function isGone(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false;
  return error.$metadata.httpStatusCode === 403 || error.$metadata.httpStatusCode === 404;
}

const folder = (batchId: BatchId, jobIndex: number): string => `work/${batchId}/${jobIndex}`;

function blockKey(batchId: BatchId, jobIndex: number, idx: number): string {
  return `${folder(batchId, jobIndex)}/${idx}.block`;
}

function indexKey(batchId: BatchId, jobIndex: number, idx: number): string {
  return `${folder(batchId, jobIndex)}/${idx}.index.json`;
}

function keysOf({ batchId, jobIndex, idx }: BlockId) {
  return { block: blockKey(batchId, jobIndex, idx), index: indexKey(batchId, jobIndex, idx) };
}
