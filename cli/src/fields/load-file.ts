import { readFile } from 'node:fs/promises';
import { FieldsError } from './fields-error.ts';

export async function loadFile(path: string, file: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw unreadable(file, error);
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
