import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { DirectorySink } from 'soil-batch-client/node';
import { CliError } from '../exit-code.ts';
import type { FieldCollection } from '../fields/field-collection.ts';
import { type Lock, lockFolder } from './lock.ts';
import type { PlannedChunk, RunPlan, RunRequest } from './plan-run.ts';
import { replaceFile } from './replace-file.ts';
import {
  type Chunk,
  type RunFile,
  readRunFile,
  stateFolder,
  writeBody,
  writeRunFile,
} from './run-file.ts';
import { jobsOf, type RunJob } from './run-job.ts';

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
export async function createRun(folder: string, request: RunRequest, plan: RunPlan): Promise<Run> {
  await mkdir(folder, { recursive: true });
  await requireEmpty(folder);
  const lock = await lockFolder(stateFolder(folder));
  try {
    if ((await readRunFile(folder)) !== undefined) {
      throw new CliError(`another process has started a run in ${folder}: try again`);
    }
    const state: RunFile = {
      format: 1,
      run_id: plan.runId,
      created_at: new Date().toISOString(),
      base_url: request.baseUrl,
      input: await storedInput(folder, request),
      years: [...request.years],
      name_field: request.nameField,
      model: request.model,
      files: plan.jobs.map(({ file }) => file),
      chunks: plan.chunks.map(newChunk),
    };
    for (const [index, { body }] of plan.chunks.entries()) await writeBody(folder, index, body);
    // Last: a folder without run file holds no run.
    await writeRunFile(folder, state);
    return runOf(folder, lock, state, request.fields);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** What a run becomes by another version of its file. */
export interface Continuation {
  readonly jobs: readonly RunJob[];
  /** Jobs that stay: their index in the run as it was, by the index that they get. */
  readonly kept: ReadonlyMap<number, number>;
}

/**
 * Gives a run another version of its file: new batches for the jobs that do not stay. A crash leaves the
 * run as it was, or all of the change.
 */
export async function changeRun(
  run: Run,
  request: RunRequest,
  { jobs, kept }: Continuation,
  chunks: readonly PlannedChunk[],
): Promise<Run> {
  const { folder, state } = run;
  const indexes = new Map([...kept].map(([now, before]) => [before, now]));
  const remaining = state.chunks.map((chunk): Chunk => {
    // A chunk that was never sent is planned anew.
    const isSent = chunk.batches[0].sent_at !== null;
    const stays = (index: number | null) => (isSent ? (indexes.get(index ?? -1) ?? null) : null);
    return { ...chunk, jobs: chunk.jobs.map(stays) };
  });
  const next: RunFile = {
    ...state,
    input: await storedInput(folder, request),
    files: jobs.map(({ file }) => file),
    chunks: [...remaining, ...chunks.map(newChunk)],
  };
  for (const [index, { body }] of chunks.entries()) {
    await writeBody(folder, remaining.length + index, body);
  }
  // What an earlier polygon left under the name of a new job.
  const rasters = new DirectorySink(folder);
  for (const { index, file } of jobs) {
    if (!kept.has(index)) await rasters.remove(file);
  }
  await writeRunFile(folder, next);
  if (next.input.stored !== state.input.stored) {
    await rm(path.join(stateFolder(folder), state.input.stored), { force: true });
  }
  return runOf(folder, run, next, request.fields);
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
    const text = await readFile(path.join(stateFolder(folder), state.input.stored), 'utf8');
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

/** What a folder has of a request: nothing, its run, or the run of another version of its file. */
export type Held = 'nothing' | 'run' | 'earlier-run';

/** @throws CliError if the folder holds another run, or anything else */
export async function heldIn(folder: string, request: RunRequest): Promise<Held> {
  const state = await readRunFile(folder);
  if (state === undefined) {
    await requireEmpty(folder);
    return 'nothing';
  }
  const differences = [
    [state.years.join() !== request.years.join(), 'other years'],
    [state.name_field !== request.nameField, 'another name field'],
    [state.model !== request.model, 'another model'],
    [state.base_url !== request.baseUrl, 'another service'],
  ] as const;
  const differing = differences.filter(([differs]) => differs).map(([, what]) => what);
  if (differing.length === 0) {
    return state.input.digest === digestOf(textOf(request.fields)) ? 'run' : 'earlier-run';
  }
  throw new CliError(
    `${folder} holds the run of ${inputText(state.input)} with ${differing.join(' and ')}: choose another folder with --out`,
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

/** Whether a request reads the file and the layer that a run is of. */
export function isOfSameFile({ input }: RunFile, { inputPath, fields, cwd }: RunRequest): boolean {
  return (
    path.resolve(cwd, input.path) === path.resolve(cwd, inputPath) && input.layer === fields.layer
  );
}

/** File and layer of a run or a request, for people. A layer is often called like its file. */
export function inputText(input: { readonly path: string; readonly layer: string | null }): string {
  const { name, base } = path.parse(input.path);
  return input.layer === null || input.layer === name ? base : `layer "${input.layer}" of ${base}`;
}

function runOf(folder: string, lock: Lock, first: RunFile, fields: FieldCollection): Run {
  const jobs = jobsOf(fields.features, first.years, first.name_field, first.files);
  let state = first;
  return {
    folder,
    fields,
    jobs,
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

/** Stores the fields as they are now, so that the run needs nothing else to continue. */
async function storedInput(
  folder: string,
  { fields, inputPath, inputSha256 }: RunRequest,
): Promise<RunFile['input']> {
  const text = textOf(fields);
  const digest = digestOf(text);
  // A name of their own: until the run file is written, the fields before are needed.
  const stored = `fields-${digest.slice(0, 16)}.json`;
  await replaceFile(path.join(stateFolder(folder), stored), text);
  return { path: inputPath, file_sha256: inputSha256, layer: fields.layer, digest, stored };
}

function newChunk({ jobs, idempotencyKey }: PlannedChunk): Chunk {
  return {
    jobs: [...jobs],
    batches: [{ kind: 'create', idempotency_key: idempotencyKey, sent_at: null, batch_id: null }],
  };
}

function textOf(fields: FieldCollection): string {
  return `${JSON.stringify(fields)}\n`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
