import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { CliError } from '../exit-code.ts';
import { replaceFile } from './replace-file.ts';

/** Folder of the run's state within the folder of its results. */
export const STATE_FOLDER = '.soil-batch';
const RUN_FILE = 'run.json';

/** A request that creates a batch. It is saved as `sent` before it is sent, with the time. */
const creation = z.object({
  kind: z.literal('create'),
  idempotency_key: z.string(),
  sent_at: z.iso.datetime().nullable(),
  batch_id: z.uuid().nullable(),
});

/** A retry of the failed jobs of the batch before it. Repeating the request returns the same batch. */
const retry = z.object({ kind: z.literal('retry'), batch_id: z.uuid() });

const batches = z.tuple([creation], retry);

const input = z.object({
  /** As given on the command line. */
  path: z.string(),
  layer: z.string().nullable(),
  /** SHA-256 of that file. Of a Shapefile, its .shp. */
  file_sha256: z.string(),
  /** SHA-256 of the fields as they were read. */
  digest: z.string(),
  /** File of the fields in the state folder. */
  stored: z.string(),
});

const runFile = z.object({
  format: z.literal(1),
  run_id: z.uuid(),
  created_at: z.iso.datetime(),
  base_url: z.url(),
  years: z.array(z.int()).min(1),
  name_field: z.string().nullable(),
  model: z.string().nullable(),
  input,
  /** The raster of each job, by its index. */
  files: z.array(z.string()),
  chunks: z.array(
    z.object({
      /** Index in the run by the batch's `job_index`; null if the run no longer has the job. */
      jobs: z.array(z.int().min(0).nullable()).min(1),
      batches,
    }),
  ),
});

export type RunFile = Readonly<z.infer<typeof runFile>>;
export type Chunk = Readonly<RunFile['chunks'][number]>;
export type Creation = Readonly<z.infer<typeof creation>>;

export function stateFolder(folder: string): string {
  return path.join(folder, STATE_FOLDER);
}

/**
 * Undefined if the folder holds no run.
 * @throws CliError for a run file of another version or that is damaged
 */
export async function readRunFile(folder: string): Promise<RunFile | undefined> {
  const file = path.join(stateFolder(folder), RUN_FILE);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const parsed = runFile.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CliError(
    `${file} is not a run of this version (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}): choose another --out`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** On disk when this returns. */
export async function writeRunFile(folder: string, state: RunFile): Promise<void> {
  await replaceFile(
    path.join(stateFolder(folder), RUN_FILE),
    `${JSON.stringify(state, null, 1)}\n`,
  );
}

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
