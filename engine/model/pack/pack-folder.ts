import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { isUrl, type PackFiles, PackFileUnavailable } from './pack-files.ts';

/** A pack in a local folder, such as the functions' asset. */
export function packFolder(folder: string): PackFiles {
  const root = resolve(folder);

  return {
    read: (href) => attempt(href, () => readFile(pathOf(root, href))),
    readRange: (href, offset, length) =>
      attempt(href, async () => {
        const file = await open(pathOf(root, href), 'r');
        try {
          return await readAt(file, offset, length);
        } finally {
          await file.close();
        }
      }),
    size: (href) => attempt(href, async () => (await stat(pathOf(root, href))).size),
  };
}

function pathOf(root: string, href: string): string {
  if (isUrl(href)) {
    throw new PackFileUnavailable(href, 'is a URL, not a path inside the pack');
  }
  const path = resolve(root, href);
  const inside = relative(root, path);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) {
    throw new PackFileUnavailable(href, "not inside the pack's folder");
  }
  return path;
}

/** A single `read` may return fewer bytes than requested (POSIX read(2)). */
async function readAt(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const { size } = await file.stat();
  const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled);
    if (bytesRead === 0) {
      break;
    }
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function attempt<T>(href: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof PackFileUnavailable) {
      throw error;
    }
    throw new PackFileUnavailable(href, reasonOf(error), { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'not found in the pack';
    case 'EISDIR':
      return 'is a folder, not a file';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
