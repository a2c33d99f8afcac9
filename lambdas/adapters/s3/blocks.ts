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
import type { BlockStore } from '../../domain/patch-batch/patch-batch.ts';
import { isMissing } from './sdk-objects.ts';

/**
 * Stores blocks in the work bucket as `work/<batch>/<job index>/<idx>.block`. A block's index is metadata of its
 * object, so that one request writes both. An index that is too long for metadata becomes a separate object.
 */
export function s3BlockStore(client: S3Client, bucket: string): BlockStore {
  const put = (Key: string, Body: Uint8Array | string, Metadata: Record<string, string> = {}) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key, Body, Metadata }));
  const copyObject = (from: string, to: string) =>
    client.send(
      new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource: `${bucket}/${from}` }),
    );
  const readSeparateIndex = async (key: string): Promise<string> => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return (await Body?.transformToString()) ?? '';
  };
  /** Returns undefined if the index is a separate object. */
  const readEmbeddedIndex = async (key: string): Promise<string | undefined> => {
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
        await Promise.all([put(key, bytes), put(indexKey(key), text)]);
      }
    },

    async copy(fromKey, toKey) {
      try {
        const embedded = await readEmbeddedIndex(fromKey);
        const text = embedded ?? (await readSeparateIndex(indexKey(fromKey)));
        if (!isBlockIndex(JSON.parse(text))) return false;
        await Promise.all([
          // The copy keeps the metadata.
          copyObject(fromKey, toKey),
          ...(embedded === undefined ? [copyObject(indexKey(fromKey), indexKey(toKey))] : []),
        ]);
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },

    async readIndex(batchId, jobIndex, idx) {
      const key = blockKey(batchId, jobIndex, idx);
      const text = (await readEmbeddedIndex(key)) ?? (await readSeparateIndex(indexKey(key)));
      return parseBlockIndex(JSON.parse(text));
    },

    async readInto(ref, offset, into) {
      // HTTP has no empty range (RFC 9110, section 14.1.2).
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

/** A body is a Node stream in Node. */
async function* readChunks(body: unknown): AsyncGenerator<Uint8Array> {
  if (body instanceof Readable) yield* body;
}

const INDEX = 'index';

/**
 * S3's limit for metadata names and values together, in US-ASCII bytes:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
 */
const MAX_METADATA_BYTES = 2_048;

function blockKey(batchId: BatchId, jobIndex: number, idx: number): string {
  return `work/${batchId}/${jobIndex}/${idx}.block`;
}

function indexKey(key: string): string {
  return key.replace(/\.block$/, '.index.json');
}
