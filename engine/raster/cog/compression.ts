import * as zlib from 'node:zlib';
import type { SampleType } from './sample-type.ts';

/**
 * Some readers lack zstd: GDAL may be built without it, and older versions of geotiff.js do not
 * decode it.
 */
export const COMPRESSIONS = ['deflate', 'zstd'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/** Compression (tag 259): Adobe's DEFLATE, and what libtiff and GDAL call ZSTD. */
export const COMPRESSION_TAG: Readonly<Record<Compression, number>> = {
  deflate: 8,
  zstd: 50_000,
};

/** Node has this function since 22.15 and 23.8. */
const zstdCompressSync = Reflect.get(zlib, 'zstdCompressSync') as
  | ((bytes: Uint8Array) => Uint8Array)
  | undefined;

export function hasCompression(compression: Compression): boolean {
  return compression === 'deflate' || zstdCompressSync !== undefined;
}

const DEFLATE = { level: 6, memLevel: 9 } as const;
/**
 * After the predictor, floats are short runs and noise: searching for longer matches takes much
 * longer and saves little.
 */
const DEFLATE_FLOATS = { ...DEFLATE, strategy: zlib.constants.Z_RLE } as const;

/** @throws RangeError if this version of Node does not support the compression */
export function compress(
  bytes: Uint8Array,
  compression: Compression,
  sampleType: SampleType,
): Uint8Array {
  if (compression === 'deflate') {
    const options = sampleType === 'float32' ? DEFLATE_FLOATS : DEFLATE;
    // One chunk; by default zlib concatenates the output from chunks of 16 KiB.
    return zlib.deflateSync(bytes, {
      ...options,
      chunkSize: Math.max(bytes.length, zlib.constants.Z_MIN_CHUNK),
    });
  }
  if (zstdCompressSync === undefined) {
    throw new RangeError(`Node ${process.versions.node} has no zstd: use 24, or a 22.x from 22.15`);
  }
  return zstdCompressSync(bytes);
}
