import { fileNames } from 'soil-batch-client';
import { CliError } from '../exit-code.ts';
import { jobsIn } from './batches.ts';
import type { Outcomes } from './outcomes.ts';
import type { RunRequest } from './plan-run.ts';
import { type Continuation, isOfSameFile, type Run } from './run.ts';
import { jobsOf, type RunJob } from './run-job.ts';

/**
 * The jobs that a request has in common with a run: those of the same polygon and year whose result is
 * not lost. They keep the names of their files.
 * @param models by the index in the request: the model that would predict a job now. A job that another
 * one predicted does not stay; where a model is not known, it counts as the same.
 * @throws CliError if not even a name is the same: these are other fields
 */
export function continuationOf(
  run: Run,
  request: RunRequest,
  outcomes: Outcomes,
  models: ReadonlyMap<number, string | null>,
): Continuation {
  const { fields, years, nameField } = request;
  const before = keptByKey(run, outcomes);
  const jobs = jobsOf(fields.features, years, nameField);
  const kept = new Map<number, number>();
  for (const { index, key } of jobs) {
    const same = before.get(key)?.shift();
    if (same === undefined) continue;
    const now = models.get(index) ?? null;
    const then = outcomes.jobs.get(same)?.job.model ?? null;
    if (now === null || then === null || now === then) kept.set(index, same);
  }
  // Names by position say nothing of another file.
  const areNames = nameField !== null || isOfSameFile(run.state, request);
  const names = new Set(areNames ? run.jobs.map(({ name }) => name) : []);
  if (kept.size === 0 && !jobs.some(({ name }) => names.has(name))) {
    throw new CliError(
      `${run.folder} holds a run of other fields: choose another folder with --out`,
    );
  }
  const fileOf = ({ index }: RunJob) => run.jobs[kept.get(index) ?? -1]?.file;
  const others = jobs.filter((job) => fileOf(job) === undefined);
  const free = fileNames(
    others,
    jobs.flatMap((job) => fileOf(job) ?? []),
  );
  const files = new Map(others.map(({ index }, position) => [index, free[position] ?? '']));
  return {
    jobs: jobs.map((job) => ({ ...job, file: fileOf(job) ?? files.get(job.index) ?? '' })),
    kept,
  };
}

/** Indexes of the jobs that were submitted and have not expired, by their key: a polygon may occur twice. */
function keptByKey(run: Run, { expired }: Outcomes): ReadonlyMap<string, number[]> {
  const sent = run.state.chunks.filter(({ batches: [creation] }) => creation.sent_at !== null);
  const indexes = new Set(sent.flatMap(jobsIn).filter((index) => !expired.has(index)));
  const byKey = new Map<string, number[]>();
  for (const { index, key } of run.jobs) {
    if (!indexes.has(index)) continue;
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [index]);
    else same.push(index);
  }
  return byKey;
}
