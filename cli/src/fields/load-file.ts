import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { FieldsError } from './fields-error.ts';
import { MAX_FILE_BYTES, megabytes } from './limits.ts';

/** Without it, opening a pipe would wait for a writer. Windows has neither. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

/** The content of a regular file of at most `MAX_FILE_BYTES`. A pipe or device may have no end. */
export async function loadFile(path: string, file: string): Promise<Buffer> {
  try {
    const handle = await open(path, constants.O_RDONLY | NO_WAIT);
    try {
      const found = await handle.stat();
      if (found.isDirectory()) throw new FieldsError('unknown-format', `${file} is a folder.`);
      if (!found.isFile()) {
        throw new FieldsError(
          'unknown-format',
          `${file} is a pipe or a device, not a file: save its content to a file first.`,
        );
      }
      if (found.size > MAX_FILE_BYTES) {
        throw new FieldsError(
          'too-large',
          `${file} has ${megabytes(found.size)}; at most ${megabytes(MAX_FILE_BYTES)} can be read. Split it, or remove what is not needed.`,
        );
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof FieldsError ? error : unreadable(file, error);
  }
}

/** The error for a file that the system doesn't open or read. */
export function unreadable(file: string, error: unknown): FieldsError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new FieldsError('not-found', `${file} does not exist.`, { cause: error });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new FieldsError('not-found', `${file} may not be read (permission denied).`, {
      cause: error,
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new FieldsError('not-found', `${file} cannot be read: ${reason}.`, { cause: error });
}
