import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { replaceFile } from './replace-file.ts';
import { stateFolder } from './run-file.ts';

/** SHA-256 in lower-case hex by path within the folder of a run. */
export type Digests = ReadonlyMap<string, string>;

const DIGESTS_FILE = 'digests.json';
const schema = z.record(z.string(), z.string());

/** Digests of the tables and of the lists of jobs, as this program wrote them. */
export async function recordedDigests(folder: string): Promise<Digests> {
  try {
    const text = await readFile(path.join(stateFolder(folder), DIGESTS_FILE), 'utf8');
    return new Map(Object.entries(schema.parse(JSON.parse(text))));
  } catch {
    // A file without record counts as changed.
    return new Map();
  }
}

/** Replaces files of a run, each as a whole, and records their digests. */
export async function writeRecorded(
  folder: string,
  contents: ReadonlyMap<string, string | Uint8Array>,
): Promise<void> {
  await mkdir(stateFolder(folder), { recursive: true });
  const digests = new Map(await recordedDigests(folder));
  for (const [file, content] of contents) {
    await replaceFile(path.join(folder, file), content);
    digests.set(file, createHash('sha256').update(content).digest('hex'));
  }
  const text = JSON.stringify(Object.fromEntries(digests), null, 1);
  await replaceFile(path.join(stateFolder(folder), DIGESTS_FILE), `${text}\n`);
}

/** The text of a file, if it is as this program wrote it; else null. */
export async function unchangedText(folder: string, file: string): Promise<string | null> {
  const text = await readFile(path.join(folder, file), 'utf8').catch(() => null);
  if (text === null) return null;
  const found = createHash('sha256').update(text).digest('hex');
  return found === (await recordedDigests(folder)).get(file) ? text : null;
}

/** A file of a run, and whether it is what was downloaded. */
export interface CheckedFile {
  readonly file: string;
  readonly state: 'unchanged' | 'changed' | 'missing' | 'not recorded';
  /** SHA-256 of what was downloaded. */
  readonly recorded: string | null;
  /** SHA-256 of the file; null if it is missing. */
  readonly found: string | null;
}

/** Null for a file that was neither recorded nor is there. */
export async function checkedFile(
  folder: string,
  file: string,
  recorded: string | null,
): Promise<CheckedFile | null> {
  const found = await digestOf(path.join(folder, file));
  if (found === null && recorded === null) return null;
  return { file, recorded, found, state: stateOf(recorded, found) };
}

function stateOf(recorded: string | null, found: string | null): CheckedFile['state'] {
  if (found === null) return 'missing';
  if (recorded === null) return 'not recorded';
  return found === recorded ? 'unchanged' : 'changed';
}

async function digestOf(file: string): Promise<string | null> {
  const isFile = (await stat(file).catch(() => null))?.isFile() ?? false;
  return isFile ? sha256Of(file) : null;
}

/** In lower-case hex. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
