import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../exit-code.ts';
import type { FieldCollection } from '../fields/field-collection.ts';
import { type Lock, lockFolder } from './lock.ts';
import type { PlannedChunk, RunPlan, RunRequest } from './plan-run.ts';
import { replaceFile } from './replace-file.ts';
import { type RunFile, readRunFile, stateFolder, writeBody, writeRunFile } from './run-file.ts';
import { jobsOf, type RunJob } from './run-job.ts';

/** The fields as they were when the run started, so that it needs nothing else to continue. */
const FIELDS_FILE = 'fields.json';

/** A run in its folder, where no other process works until it is released. */
export interface Run {
  readonly folder: string;
  readonly fields: FieldCollection;
  readonly jobs: readonly RunJob[];
  readonly state: RunFile;
  /** Changes the state; it is on disk when this returns. */
  update(change: (state: RunFile) => RunFile): Promise<void>;
  release(): Promise<void>;
}

/**
 * Starts a run in an empty folder.
 * @throws CliError if the folder holds something
 */
export async function createRun(
  folder: string,
  request: RunRequest,
  { runId, chunks }: RunPlan,
): Promise<Run> {
  await mkdir(folder, { recursive: true });
  await requireEmpty(folder);
  const lock = await lockFolder(stateFolder(folder));
  try {
    if ((await readRunFile(folder)) !== undefined) {
      throw new CliError(`another process has started a run in ${folder}: try again`);
    }
    const text = textOf(request.fields);
    await replaceFile(path.join(stateFolder(folder), FIELDS_FILE), text);
    const state = stateOf(request, digestOf(text), runId, chunks);
    for (const [index, { body }] of chunks.entries()) await writeBody(folder, index, body);
    // Last: a folder without run file holds no run.
    await writeRunFile(folder, state);
    return runOf(folder, lock, state, request.fields);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Continues the run of a folder.
 * @throws CliError if there is none, or another process works on it
 */
export async function openRun(folder: string): Promise<Run> {
  // Before the lock, which would create the folder.
  if ((await readRunFile(folder)) === undefined) {
    throw new CliError(`${folder} holds no run: "soil-batch run" starts one`);
  }
  const lock = await lockFolder(stateFolder(folder));
  try {
    const state = await readRunFile(folder);
    if (state === undefined) throw new CliError(`${folder} holds no run`);
    const text = await readFile(path.join(stateFolder(folder), FIELDS_FILE), 'utf8');
    if (digestOf(text) !== state.input.digest) {
      throw new CliError(
        `the fields stored in ${folder} are damaged: start a run with another --out`,
      );
    }
    // The digest says that this is what `createRun` wrote.
    const fields: FieldCollection = JSON.parse(text);
    return runOf(folder, lock, state, fields);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Whether the folder's run is the one requested; false if it is free.
 * @throws CliError if it holds another run, or anything else
 */
export async function holdsRun(folder: string, request: RunRequest): Promise<boolean> {
  const state = await readRunFile(folder);
  if (state === undefined) {
    await requireEmpty(folder);
    return false;
  }
  const differences = [
    [state.input.digest !== digestOf(textOf(request.fields)), 'fields'],
    [state.years.join() !== request.years.join(), 'years'],
    [state.name_field !== request.nameField, 'name field'],
    [state.model !== request.model, 'model'],
    [state.base_url !== request.baseUrl, 'service'],
  ] as const;
  const differing = differences.filter(([differs]) => differs).map(([, what]) => what);
  if (differing.length === 0) return true;
  throw new CliError(
    `${folder} holds a run with other ${differing.join(', ')}: choose another folder with --out`,
  );
}

async function requireEmpty(folder: string): Promise<void> {
  const own = path.basename(stateFolder(folder));
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const others = names.filter((name) => name !== own);
  if (others.length === 0) return;
  throw new CliError(`${folder} is not empty and holds no run: choose another folder with --out`);
}

function runOf(folder: string, lock: Lock, first: RunFile, fields: FieldCollection): Run {
  let state = first;
  return {
    folder,
    fields,
    jobs: jobsOf(fields.features, first.years, first.name_field),
    get state() {
      return state;
    },
    async update(change) {
      const next = change(state);
      await writeRunFile(folder, next);
      state = next;
    },
    release: () => lock.release(),
  };
}

function stateOf(
  request: RunRequest,
  digest: string,
  runId: string,
  chunks: readonly PlannedChunk[],
): RunFile {
  return {
    format: 1,
    run_id: runId,
    created_at: new Date().toISOString(),
    base_url: request.baseUrl,
    input: { path: request.inputPath, layer: request.fields.layer, digest },
    years: [...request.years],
    name_field: request.nameField,
    model: request.model,
    chunks: chunks.map(({ firstJob, jobs, idempotencyKey }) => ({
      first_job: firstJob,
      jobs,
      batches: [{ kind: 'create', idempotency_key: idempotencyKey, sent_at: null, batch_id: null }],
    })),
  };
}

function textOf(fields: FieldCollection): string {
  return `${JSON.stringify(fields)}\n`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
