import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedBlock } from '#engine/raster/cog/block-encoder.ts';
import { parseBlockIndex } from '#engine/raster/cog/block-index.ts';
import type { CogBlock } from '#engine/raster/cog/placed-block.ts';
import type { BlockSource, CogTarget, CogUpload } from '#engine/raster/cog/ports.ts';

// This store uses files in a folder instead of S3. Blocks are files, and an upload copies its parts on completion.

/** Files have no entity tag. */
const NO_TAG = '';

const COPY_BYTES = 4 * 1024 ** 2;

export async function writeBlock(
  folder: string,
  ref: string,
  { bytes, index }: EncodedBlock,
): Promise<void> {
  await writeFile(join(folder, ref), bytes);
  await writeFile(join(folder, `${ref}.json`), JSON.stringify(index));
}

export async function readBlockIndex(folder: string, ref: string): Promise<CogBlock['index']> {
  const file = await open(join(folder, `${ref}.json`));
  try {
    return parseBlockIndex(JSON.parse(await file.readFile('utf8')));
  } finally {
    await file.close();
  }
}

export function createLocalSource(folder: string): BlockSource {
  return {
    async readInto(ref, offset, into) {
      const file = await open(join(folder, ref));
      try {
        const { bytesRead } = await file.read(into, 0, into.length, offset);
        if (bytesRead !== into.length)
          throw new Error(`${ref} ends before byte ${offset + into.length}`);
      } finally {
        await file.close();
      }
    },
  };
}

type Part =
  | { readonly kind: 'bytes'; readonly offset: number; readonly length: number }
  | {
      readonly kind: 'copy';
      readonly ref: string;
      readonly offset: number;
      readonly length: number;
    };

export function createLocalTarget(folder: string, path: string): CogTarget {
  return {
    async putWhole(bytes) {
      await writeFile(path, bytes);
      return NO_TAG;
    },
    async begin(): Promise<CogUpload> {
      const parts = new Map<number, Part>();
      const uploaded = await open(join(folder, 'uploaded-parts'), 'w+');
      let end = 0;
      return {
        async uploadPart(part, bytes) {
          parts.set(part, { kind: 'bytes', offset: end, length: bytes.length });
          end += bytes.length;
          await uploaded.write(bytes, 0, bytes.length, end - bytes.length);
        },
        async copyPart(part, ref, offset, length) {
          parts.set(part, { kind: 'copy', ref, offset, length });
        },
        async complete() {
          const target = await open(path, 'w');
          const buffer = Buffer.alloc(COPY_BYTES);
          const ordered = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
          for (const part of ordered) {
            const from = part.kind === 'bytes' ? uploaded : await open(join(folder, part.ref));
            await copyRange(from, target, part.offset, part.length, buffer);
            if (from !== uploaded) await from.close();
          }
          await Promise.all([target.close(), uploaded.close()]);
          return NO_TAG;
        },
        abort: () => uploaded.close(),
      };
    },
  };
}

async function copyRange(
  from: FileHandle,
  target: FileHandle,
  offset: number,
  length: number,
  buffer: Buffer,
): Promise<void> {
  for (let done = 0; done < length; ) {
    const size = Math.min(buffer.length, length - done);
    const { bytesRead } = await from.read(buffer, 0, size, offset + done);
    await target.write(buffer, 0, bytesRead);
    done += bytesRead;
  }
}
