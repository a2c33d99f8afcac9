import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Position of a framed tile in the file. */
export interface ApexPlace {
  readonly offset: number;
  readonly length: number;
}

/**
 * A temporary file for the tiles of the topmost overviews. The header needs the sizes of all of them,
 * and together they would not fit in memory. With blocks of 8 × 8 tiles they are 1/192 of the raster:
 * Lambda's 512 MB of /tmp are enough for 90 GB.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-ephemeral-storage.html
 *
 * Uses a file descriptor that only `close` closes. The garbage collector would close the FileHandle of
 * an assembly that never continues, which Node deprecates (DEP0137).
 */
export class ApexFile {
  /** Opened for the first tile; a raster of one block has none. */
  private descriptor: number | undefined;
  private end = 0;

  append(tile: Uint8Array): ApexPlace {
    this.descriptor ??= openUnlinked();
    const place = { offset: this.end, length: tile.length };
    for (let written = 0; written < tile.length; ) {
      const left = tile.length - written;
      written += writeSync(this.descriptor, tile, written, left, place.offset + written);
    }
    this.end += tile.length;
    return place;
  }

  /** Fills `into` with the bytes at the offset. Throws RangeError if the file is too short. */
  read(offset: number, into: Uint8Array): void {
    for (let filled = 0; filled < into.length; ) {
      const left = into.length - filled;
      const bytes =
        this.descriptor === undefined
          ? 0
          : readSync(this.descriptor, into, filled, left, offset + filled);
      if (bytes === 0) {
        throw new RangeError(
          `cannot read ${into.length} bytes at ${offset}: the apex file has ${this.end}`,
        );
      }
      filled += bytes;
    }
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }
}

/** The file is unlinked at once, so it disappears with the process. */
function openUnlinked(): number {
  const path = join(tmpdir(), `apex-${randomUUID()}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return descriptor;
}
