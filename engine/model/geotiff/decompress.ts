import { inflateSync } from 'node:zlib';
import { ZSTDDecoder } from 'zstddec';
import { decodeLzw, tooManyBytesError } from './lzw.ts';

/** The codes of TIFF 6.0, of Adobe's supplements and, for ZSTD, of GDAL. */
export const COMPRESSIONS: Readonly<Record<number, string>> = {
  1: 'none',
  5: 'LZW',
  8: 'DEFLATE',
  32946: 'DEFLATE',
  50000: 'ZSTD',
};

/** Created on first use, as it compiles WebAssembly. */
let zstd: Promise<ZSTDDecoder> | undefined;

/**
 * @param size the number of bytes to return
 * @param limit bytes of a full tile according to the header, and the most bytes to decompress: more
 * than `size` for a last strip, which some writers store in full.
 * @throws Error if the data is corrupt or too short, or if decompressing it gives too many bytes
 */
export async function decompress(
  bytes: Uint8Array,
  compression: number,
  size: number,
  limit: number,
): Promise<Uint8Array> {
  const uncompressed = await unpackBytes(bytes, compression, limit);
  if (uncompressed.length < size) {
    throw new Error(
      `a tile has ${uncompressed.length} uncompressed bytes, expected at least ${size}`,
    );
  }
  return uncompressed.length > size ? uncompressed.subarray(0, size) : uncompressed;
}

async function unpackBytes(
  bytes: Uint8Array,
  compression: number,
  limit: number,
): Promise<Uint8Array> {
  switch (COMPRESSIONS[compression]) {
    case 'none':
      // Copied, because undoing the predictor and the byte order writes to the bytes.
      return new Uint8Array(bytes.subarray(0, limit));
    case 'LZW':
      return decodeLzw(bytes, limit);
    case 'DEFLATE':
      return inflate(bytes, limit);
    case 'ZSTD':
      zstd ??= startZstd();
      // If a size is given, the decoder allocates that size and ignores the size in the frame's header.
      return (await zstd).decode(bytes, limit);
    default:
      throw new Error(`compression ${compression} is not supported`);
  }
}

function inflate(bytes: Uint8Array, limit: number): Uint8Array {
  try {
    // A single chunk: zlib's default is 16 KiB, all of which a small tile would keep in the cache.
    // With exactly `limit` bytes zlib would allocate a second chunk.
    const chunkSize = Math.max(limit + 1, MIN_CHUNK);
    const uncompressed = inflateSync(bytes, { maxOutputLength: limit, chunkSize });
    // Node allocates small buffers from a pool, which a cached tile would keep alive.
    return uncompressed.length < Buffer.poolSize / 2 ? new Uint8Array(uncompressed) : uncompressed;
  } catch (error) {
    const tooMuch =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (tooMuch) throw tooManyBytesError(limit);
    throw error;
  }
}

/** Z_MIN_CHUNK: Node rejects smaller values. */
const MIN_CHUNK = 64;

async function startZstd(): Promise<ZSTDDecoder> {
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return decoder;
}
