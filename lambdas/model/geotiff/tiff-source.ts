import type { BoundedBytes } from './bounded-bytes.ts';

interface Slice {
  readonly offset: number;
  readonly length: number;
}

/**
 * What `geotiff` asks for before it knows the file's end: 1,024 bytes, or 4,048 of a BigTIFF. Such
 * a read may be short; any other that runs past the end follows a lying offset.
 */
const SPECULATIVE = 4048;

/** A file as `geotiff` reads it: by ranges, never beyond the file. */
export function tiffSource(bytes: BoundedBytes) {
  async function fetchSlice({ offset, length }: Slice) {
    const left = bytes.size - offset;
    const wanted = length <= SPECULATIVE && left > 0 ? Math.min(length, left) : length;
    // geotiff keeps whole ArrayBuffers: what the bytes lie in may be larger.
    const data = new Uint8Array(await bytes.read(offset, wanted)).buffer;
    return { offset, length: data.byteLength, data };
  }

  return {
    fileSize: bytes.size,
    fetchSlice,
    fetch: (slices: readonly Slice[]): Promise<ArrayBuffer[]> =>
      Promise.all(slices.map(async (slice) => (await fetchSlice(slice)).data)),
    close: async () => {},
  };
}
