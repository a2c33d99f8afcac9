import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of a framed tile in the file. */
export interface ApexPlace {
  readonly offset: number;
  readonly length: number;
}

/**
 * Tiles of the topmost overviews on their way into the raster: their sizes must be known before
 * the header is, and all of them would not fit in memory. They are 1/192 of a raster whose blocks
 * are 8 × 8 tiles: Lambda's 512 MB of /tmp are enough for one of 90 GB.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-ephemeral-storage.html
 *
 * A descriptor, closed by `close` alone: a FileHandle of an assembly that never goes on would be
 * closed by the garbage collector, which Node warns of and will refuse (DEP0137).
 */
export class ApexFile {
  /** Opened for the first tile: a raster of one block has none. */
  private descriptor: number | undefined;
  private end = 0;

  append(tile: Uint8Array): ApexPlace {
    this.descriptor ??= openWithoutName();
    const place = { offset: this.end, length: tile.length };
    for (let written = 0; written < tile.length; ) {
      const left = tile.length - written;
      written += writeSync(this.descriptor, tile, written, left, place.offset + written);
    }
    this.end += tile.length;
    return place;
  }

  /** Fills `into` from the offset on. Throws RangeError where the file ends before. */
  read(offset: number, into: Uint8Array): void {
    for (let filled = 0; filled < into.length; ) {
      const left = into.length - filled;
      const bytes =
        this.descriptor === undefined
          ? 0
          : readSync(this.descriptor, into, filled, left, offset + filled);
      if (bytes === 0) {
        throw new RangeError(`the apex has ${this.end} bytes, not ${into.length} at ${offset}`);
      }
      filled += bytes;
    }
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }
}

/** It goes with the process, however that ends. */
function openWithoutName(): number {
  const path = join(tmpdir(), `apex-${randomUUID()}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return descriptor;
}
