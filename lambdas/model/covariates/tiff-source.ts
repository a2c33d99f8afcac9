import type { PackFiles } from '../pack/pack-files.ts';

interface Slice {
  readonly offset: number;
  readonly length: number;
}

/**
 * What `geotiff` asks for before it knows the file's end: 1,024 bytes, or 4,048 of a BigTIFF. Such
 * a read may be short; any other that runs past the end follows a lying offset.
 */
const SPECULATIVE = 4048;

/** More than any tile of a sane COG: a byte count in a header is no reason to take memory. */
const MAX_READ = 256 * 2 ** 20;

/** A file of the pack as `geotiff` reads it: by ranges, never beyond the file. */
export async function tiffSource(files: PackFiles, href: string) {
  const size = await files.size(href);

  async function fetchSlice({ offset, length }: Slice) {
    const end = offset + length;
    const outside = offset < 0 || offset >= size || (end > size && length > SPECULATIVE);
    if (outside || length > MAX_READ) {
      throw new RangeError(`it points at bytes ${offset} to ${end} of a file of ${size} bytes`);
    }
    const bytes = await files.readRange(href, offset, Math.min(length, size - offset));
    // geotiff keeps whole ArrayBuffers: what the bytes lie in may be larger.
    const data = new Uint8Array(bytes).buffer;
    return { offset, length: data.byteLength, data };
  }

  return {
    fileSize: size,
    fetchSlice,
    fetch: (slices: readonly Slice[]): Promise<ArrayBuffer[]> =>
      Promise.all(slices.map(async (slice) => (await fetchSlice(slice)).data)),
    close: async () => {},
  };
}
