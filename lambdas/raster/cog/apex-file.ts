import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
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
 */
export class ApexFile {
  /** Opened for the first tile: a raster of one block has none. */
  private handle: Promise<FileHandle> | undefined;
  private end = 0;

  async append(tile: Uint8Array): Promise<ApexPlace> {
    const place = { offset: this.end, length: tile.length };
    this.end += tile.length;
    this.handle ??= openWithoutName();
    const handle = await this.handle;
    let written = 0;
    while (written < tile.length) {
      const left = tile.length - written;
      const { bytesWritten } = await handle.write(tile, written, left, place.offset + written);
      written += bytesWritten;
    }
    return place;
  }

  /** Fewer bytes where the file ends. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const handle = await this.handle;
    if (handle === undefined) return new Uint8Array(0);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    const handle = await this.handle;
    await handle?.close();
  }
}

/** It goes with the process, however that ends. */
async function openWithoutName(): Promise<FileHandle> {
  const path = join(tmpdir(), `apex-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}
