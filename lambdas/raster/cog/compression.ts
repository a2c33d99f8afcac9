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
 * For floats run lengths only: the predictor leaves long runs, and this is several times faster
 * than matching at a few percent more bytes. Integers repeat themselves further apart.
 */
const FLOATS = { level: 6, strategy: zlib.constants.Z_RLE, memLevel: 9 } as const;
const INTEGERS = { level: 6, memLevel: 9 } as const;

/**
 * @param expected about how long the result will be, as tiles are like their neighbours: zlib's
 * pieces are that long, so that there is mostly one, and little of it unused
 * @throws RangeError where this Node has no such compression
 */
export function compress(
  bytes: Uint8Array,
  compression: Compression,
  sampleType: SampleType,
  expected: number,
): Uint8Array {
  if (compression === 'deflate') {
    const options = sampleType === 'float32' ? FLOATS : INTEGERS;
    const chunkSize = Math.max(expected, LEAST_CHUNK_BYTES);
    return zlib.deflateSync(bytes, { ...options, chunkSize });
  }
  if (zstdCompressSync === undefined) {
    throw new RangeError(`Node ${process.versions.node} has no zstd: 22.15 and later do`);
  }
  return zstdCompressSync(bytes);
}

const LEAST_CHUNK_BYTES = 16 * 1024;
