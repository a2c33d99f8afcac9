import { inflateSync } from 'node:zlib';
import { ZSTDDecoder } from 'zstddec';
import { lzwDecode, unpacksTooMuch } from './lzw.ts';

/** TIFF 6.0; Adobe's supplements; GDAL for ZSTD. The others are for pictures. */
export const COMPRESSIONS: Readonly<Record<number, string>> = {
  1: 'none',
  5: 'LZW',
  8: 'DEFLATE',
  32946: 'DEFLATE',
  50000: 'ZSTD',
};

/** Made at the first need, as it compiles WebAssembly. */
let zstd: Promise<ZSTDDecoder> | undefined;

/**
 * A tile's bytes as they were before compression.
 *
 * @param size bytes the tile must have
 * @param limit bytes of a whole tile by the header: no more memory is taken, whatever they unpack to.
 * More than `size` for a last strip, which some writers store in full.
 * Throws `Error` when they are broken, too few or too many.
 */
export async function decompress(
  bytes: Uint8Array,
  compression: number,
  size: number,
  limit: number,
): Promise<Uint8Array> {
  const unpacked = await unpack(bytes, compression, limit);
  if (unpacked.length < size) {
    throw new Error(`a tile of it has ${unpacked.length} bytes in place of ${size}`);
  }
  return unpacked.length > size ? unpacked.subarray(0, size) : unpacked;
}

async function unpack(bytes: Uint8Array, compression: number, limit: number): Promise<Uint8Array> {
  switch (COMPRESSIONS[compression]) {
    case 'none':
      // A copy: what undoes predictor and byte order writes to it.
      return new Uint8Array(bytes.subarray(0, limit));
    case 'LZW':
      return lzwDecode(bytes, limit);
    case 'DEFLATE':
      return inflate(bytes, limit);
    case 'ZSTD':
      zstd ??= startZstd();
      // Given a size, it takes that much and does not ask the frame's header.
      return (await zstd).decode(bytes, limit);
    default:
      throw new Error(`its compression ${compression} can't be read`);
  }
}

function inflate(bytes: Uint8Array, limit: number): Uint8Array {
  try {
    // In one piece: zlib's own are of 16 KiB, of which a small tile would keep all while it is cached.
    // One byte more than it can fill, or zlib makes a second.
    const chunkSize = Math.max(limit + 1, LEAST_CHUNK);
    const unpacked = inflateSync(bytes, { maxOutputLength: limit, chunkSize });
    // Node makes the smallest in a pool, which they would keep.
    return unpacked.length < Buffer.poolSize / 2 ? new Uint8Array(unpacked) : unpacked;
  } catch (error) {
    const tooMuch =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (tooMuch) throw unpacksTooMuch(limit);
    throw error;
  }
}

/** Z_MIN_CHUNK: Node takes none smaller. */
const LEAST_CHUNK = 64;

async function startZstd(): Promise<ZSTDDecoder> {
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return decoder;
}
