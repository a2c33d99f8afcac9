import { setTimeout as sleep } from 'node:timers/promises';
import {
  type FileVersion,
  type PackFiles,
  PackFileUnavailable,
} from '#engine/model/pack/pack-files.ts';

export interface RemoteReads {
  lookUp(href: string): Promise<FileVersion>;
  /**
   * Reads bytes `first` to `last`, both inclusive (RFC 9110, section 14.1.2).
   * @throws if the file has changed since it was looked up
   */
  read(href: string, file: FileVersion, first: number, last: number): Promise<Uint8Array>;
}

/** Looks each file up once and reads it by ranges. A failed read invalidates the lookup. */
export function remoteFiles(reads: RemoteReads): PackFiles {
  const known = new Map<string, FileVersion>();

  async function lookUp(href: string): Promise<FileVersion> {
    const found = known.get(href);
    if (found !== undefined) return found;
    const file = await reads.lookUp(href);
    known.set(href, file);
    return file;
  }

  async function readRange(href: string, offset: number, length: number): Promise<Uint8Array> {
    const file = await lookUp(href);
    const end = Math.min(offset + length, file.size);
    if (end <= offset) return new Uint8Array();
    return reads.read(href, file, offset, end - 1).catch((error: unknown) => {
      known.delete(href);
      throw error;
    });
  }

  return {
    readFile: async (href) => readRange(href, 0, (await lookUp(href)).size),
    readRange,
    readSize: async (href) => (await lookUp(href)).size,
    readVersion: lookUp,
    forget: () => known.clear(),
  };
}

/** After a longer outage, the state machine retries the step. */
const ATTEMPTS = 5;

export async function retryTransient<T>(firstWaitMs: number, action: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      const transient = error instanceof PackFileUnavailable && error.transient;
      if (!transient || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * firstWaitMs * 2 ** (attempt - 1));
    }
  }
}
