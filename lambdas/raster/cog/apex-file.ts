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
  private readonly handle: FileHandle;
  private end = 0;

  private constructor(handle: FileHandle) {
    this.handle = handle;
  }

  static async open(): Promise<ApexFile> {
    const path = join(tmpdir(), `apex-${randomUUID()}`);
    const handle = await open(path, 'wx+', 0o600);
    // Without a name it goes with the process, however that ends.
    await unlink(path);
    return new ApexFile(handle);
  }

  async append(tile: Uint8Array): Promise<ApexPlace> {
    const place = { offset: this.end, length: tile.length };
    this.end += tile.length;
    let written = 0;
    while (written < tile.length) {
      const left = tile.length - written;
      const { bytesWritten } = await this.handle.write(tile, written, left, place.offset + written);
      written += bytesWritten;
    }
    return place;
  }

  /** Fewer bytes where the file ends. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const { bytesRead, buffer } = await this.handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
