import type { PackFiles } from '../pack/pack-files.ts';

/** Rejects reads beyond the file's end. */
export interface BoundedBytes {
  readonly size: number;
  /**
   * Exactly these bytes.
   * @throws RangeError for a range that is outside the file or too long
   */
  readBytes(offset: number, length: number): Promise<Uint8Array>;
}

/**
 * Maximum length of a read in bytes, more than a supported tile needs. Limits what a count in a
 * header can allocate.
 */
const MAX_READ = 256 * 2 ** 20;

export async function openBoundedBytes(files: PackFiles, href: string): Promise<BoundedBytes> {
  const size = await files.readSize(href);
  return {
    size,
    async readBytes(offset, length) {
      requireBytesWithin(size, offset, length);
      const bytes = await files.readRange(href, offset, length);
      if (bytes.length !== length) {
        throw new RangeError(`got ${bytes.length} bytes at offset ${offset}, expected ${length}`);
      }
      return bytes;
    },
  };
}

export function requireBytesWithin(size: number, offset: number, length: number): void {
  const end = offset + length;
  const sane = Number.isSafeInteger(offset) && Number.isSafeInteger(end) && length >= 0;
  if (!sane || offset < 0 || end > size) {
    throw new RangeError(
      `the file refers to bytes ${offset} to ${end}, but has only ${size} bytes`,
    );
  }
  if (length > MAX_READ) {
    throw new RangeError(
      `the file refers to ${length} bytes at offset ${offset}; at most ${MAX_READ} bytes are allowed`,
    );
  }
}

/** A remote request takes tens of milliseconds; in that time 64 KiB can arrive. */
const PAGE = 64 * 2 ** 10;

/** 1 MiB per file: headers and the parts of the tile tables that a window needs. */
const PAGES = 16;

/**
 * Reads through cached pages, because the reads of headers and tables are many and close together.
 */
export function withPageCache(bytes: BoundedBytes): BoundedBytes {
  const pages = new Map<number, Promise<Uint8Array>>();

  function readPage(index: number): Promise<Uint8Array> {
    const known = pages.get(index);
    const start = index * PAGE;
    const loaded = known ?? bytes.readBytes(start, Math.min(PAGE, bytes.size - start));
    pages.delete(index);
    pages.set(index, loaded);
    if (known === undefined) loaded.catch(() => pages.delete(index));
    const [oldest] = pages.keys();
    if (pages.size > PAGES && oldest !== undefined) pages.delete(oldest);
    return loaded;
  }

  return {
    size: bytes.size,
    async readBytes(offset, length) {
      requireBytesWithin(bytes.size, offset, length);
      if (length > PAGE) return bytes.readBytes(offset, length);
      const out = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const at = offset + done;
        const loaded = await readPage(Math.floor(at / PAGE));
        const part = loaded.subarray(at % PAGE, (at % PAGE) + length - done);
        out.set(part, done);
        done += part.length;
      }
      return out;
    },
  };
}
