import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { isBlockIndex, parseBlockIndex } from '#engine/raster/cog/block-index.ts';
import type { BatchId } from '../../domain/identity.ts';
import type { BlockId, BlockStore } from '../../domain/patch-batch/patch-batch.ts';
import { isMissing } from './sdk-objects.ts';

/**
 * Blocks in the work bucket: `work/<batch>/<job index>/<idx>.block`. The index of a block is metadata
 * of its object, so that most blocks take one request; an index that is too long is a separate object.
 */
export function s3BlockStore(client: S3Client, bucket: string): BlockStore {
  const put = (Key: string, Body: Uint8Array | string, Metadata: Record<string, string> = {}) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key, Body, Metadata }));
  const copyOf = (from: string, to: string) =>
    client.send(
      new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource: `${bucket}/${from}` }),
    );
  const separateIndex = async (key: string): Promise<string> => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return (await Body?.transformToString()) ?? '';
  };
  /** Undefined if the index is a separate object. */
  const embeddedIndex = async (key: string): Promise<string | undefined> => {
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
      const [source, target] = [keysOf(from), keysOf(to)];
      try {
        const embedded = await embeddedIndex(source.block);
        const text = embedded ?? (await separateIndex(source.index));
        if (!isBlockIndex(JSON.parse(text))) return false;
        await Promise.all([
          // The copy includes the metadata.
          copyOf(source.block, target.block),
          ...(embedded === undefined ? [copyOf(source.index, target.index)] : []),
        ]);
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },

    async readIndex(batchId, jobIndex, idx) {
      const embedded = await embeddedIndex(blockKey(batchId, jobIndex, idx));
      const text = embedded ?? (await separateIndex(indexKey(batchId, jobIndex, idx)));
      return parseBlockIndex(JSON.parse(text));
    },

    async readInto(ref, offset, into) {
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
      for await (const piece of readChunks(Body)) {
        if (filled + piece.length <= into.length) into.set(piece, filled);
        filled += piece.length;
      }
      if (filled !== into.length) {
        throw new Error(`${ref}: ${filled} bytes at ${offset}, expected ${into.length}`);
      }
    },
  };
}

/** The chunks of a body, which in Node is a Node stream. */
async function* readChunks(body: unknown): AsyncGenerator<Uint8Array> {
  if (body instanceof Readable) yield* body;
}

/** Name of the metadata field. */
const INDEX = 'index';

/**
 * Limit of names and values together, in US-ASCII bytes:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
 */
const MAX_METADATA_BYTES = 2_048;

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
