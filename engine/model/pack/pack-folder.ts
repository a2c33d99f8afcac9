import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { messageOf } from '../../errors/message-of.ts';
import { isUrl, type PackFiles, PackFileUnavailable } from './pack-files.ts';

/**
 * A pack in a local folder, such as the functions' asset. Only regular files are read: a link may lead out of
 * the folder, and a device or a pipe has no end.
 */
export function openPackFolder(folder: string): PackFiles {
  const root = resolve(folder);

  const withFile = <T>(href: string, use: (file: FileHandle, size: number) => Promise<T>) =>
    withFileError(href, async () => {
      const path = resolveInFolder(root, href);
      const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const status = await file.stat();
        if (status.isDirectory()) throw new PackFileUnavailable(href, 'is a folder, not a file');
        if (!status.isFile()) throw new PackFileUnavailable(href, 'is not a regular file');
        if ((await realpath(path)) !== resolve(await realpath(root), relative(root, path))) {
          throw new PackFileUnavailable(href, 'is a link, or in a folder that is one');
        }
        return await use(file, status.size);
      } finally {
        await file.close();
      }
    });

  return {
    readFile: (href) => withFile(href, (file, size) => readAt(file, 0, size)),
    readRange: (href, offset, length) =>
      withFile(href, (file, size) =>
        readAt(file, offset, Math.max(0, Math.min(length, size - offset))),
      ),
    readSize: (href) => withFile(href, async (_, size) => size),
  };
}

function resolveInFolder(root: string, href: string): string {
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
  const bytes = new Uint8Array(length);
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

async function withFileError<T>(href: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof PackFileUnavailable) {
      throw error;
    }
    throw new PackFileUnavailable(href, describeSystemError(error), { cause: error });
  }
}

function describeSystemError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'not found in the pack';
    default:
      return messageOf(error);
  }
}
