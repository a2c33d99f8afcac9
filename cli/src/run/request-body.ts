import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from './replace-file.ts';
import { stateFolder } from './run-file.ts';

/**
 * The exact text of a chunk's request is kept until its batch exists: the service accepts an idempotency
 * key again only with the same bytes.
 */
export async function writeBody(folder: string, index: number, body: string): Promise<void> {
  await mkdir(stateFolder(folder), { recursive: true });
  await replaceFile(bodyFile(folder, index), body);
}

export function readBody(folder: string, index: number): Promise<string> {
  return readFile(bodyFile(folder, index), 'utf8');
}

export function removeBody(folder: string, index: number): Promise<void> {
  return rm(bodyFile(folder, index), { force: true });
}

function bodyFile(folder: string, index: number): string {
  return path.join(stateFolder(folder), `request-${index + 1}.json`);
}
