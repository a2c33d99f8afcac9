import * as zlib from 'node:zlib';
import type { SampleType } from './sample-type.ts';

/**
 * deflate is read everywhere. zstd is smaller and faster to read, where readers have it: GDAL built
 * with it, not geotiff.js's oldest users, no browser by itself.
 */
export const COMPRESSIONS = ['deflate', 'zstd'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/** Compression (tag 259): Adobe's DEFLATE, and what libtiff and GDAL call ZSTD. */
export const COMPRESSION_TAG: Readonly<Record<Compression, number>> = {
  deflate: 8,
  zstd: 50_000,
};

/** Node's own since 22.15 and 23.8; the functions run on 24. */
const zstdCompressSync = Reflect.get(zlib, 'zstdCompressSync') as
  | ((bytes: Uint8Array) => Uint8Array)
  | undefined;

export function hasCompression(compression: Compression): boolean {
  return compression === 'deflate' || zstdCompressSync !== undefined;
}

/**
 * Predicted floats are short runs and noise: a search for longer matches takes several times as long
 * and saves a few percent (decision 21). Integers repeat further apart.
 */
const DEFLATE = { level: 6, memLevel: 9 } as const;
const DEFLATE_FLOATS = { ...DEFLATE, strategy: zlib.constants.Z_RLE } as const;

/** @throws RangeError where this Node has no such compression */
export function compress(
  bytes: Uint8Array,
  compression: Compression,
  sampleType: SampleType,
): Uint8Array {
  if (compression === 'deflate') {
    const options = sampleType === 'float32' ? DEFLATE_FLOATS : DEFLATE;
    // One chunk: by default zlib joins the output from pieces of 16 KiB.
    return zlib.deflateSync(bytes, {
      ...options,
      chunkSize: Math.max(bytes.length, zlib.constants.Z_MIN_CHUNK),
    });
  }
  if (zstdCompressSync === undefined) {
    throw new RangeError(`Node ${process.versions.node} has no zstd: 22.15 and later do`);
  }
  return zstdCompressSync(bytes);
}
