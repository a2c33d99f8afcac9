import { type SoilClient, SoilError } from 'soil-batch-client';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type RunFacts, readFacts, storedFacts } from '../results/run-facts.ts';
import { writeResults } from '../results/write-results.ts';
import { jobsIn, jobsNotSubmitted } from '../run/batches.ts';
import { downloadRasters, type Raster } from '../run/download.ts';
import { type Outcomes, readOutcomes } from '../run/outcomes.ts';
import { resultJobs } from '../run/result-jobs.ts';
import type { Run } from '../run/run.ts';
import { submitChunks } from '../run/submit.ts';
import { watchBatches } from '../run/watch.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { failureLines, warningLines } from './describe-problems.ts';
import { amount, count } from './numbers.ts';
import type { Service, Session } from './session.ts';
import { leftOutLine, totalLines } from './total-lines.ts';

/** Creates the batches of a run that are missing. Returns why some are left for tomorrow. */
export async function submitRun(
  { terminal, signal }: Session,
  { client, now }: Service,
  run: Run,
): Promise<SoilError | null> {
  return submitChunks({
    client,
    run,
    signal,
    now,
    onCreated(batchId, chunk) {
      const { length } = jobsIn(chunk);
      terminal.report({ event: 'submitted', batch_id: batchId, total_jobs: length }, [
        `Submitted ${count(length, 'job')} as batch ${batchId}.`,
      ]);
    },
  });
}

/** Waits until the batches that exist are final. Returns how many of their jobs failed. */
export async function watchRun(session: Session, service: Service, run: Run): Promise<number> {
  const batches = await watchBatches({ ...session, ...service, run });
  return batches.reduce((sum, { failed_jobs }) => sum + failed_jobs, 0);
}

/** Downloads what is finished and writes the tables. */
export async function downloadRun(
  session: Session,
  { client }: Service,
  run: Run,
): Promise<Outcomes> {
  const { terminal, signal } = session;
  const outcomes = await readOutcomes(client, run, signal);
  const rasters = await downloadRasters({ ...session, client, run }, outcomes);
  const facts = await readFacts({ client, signal }, run.folder, outcomes);
  const tables = await writeTables(client, run, outcomes, { rasters, facts }, signal);
  terminal.report({ event: 'written', files: tables }, []);
  if (facts !== null) reportTotals(terminal, facts);
  return outcomes;
}

function reportTotals(terminal: Terminal, { totals, totals_missing: missing }: RunFacts): void {
  if (totals === null) {
    terminal.report({ event: 'total', missing }, [`No total: ${missing}`]);
    return;
  }
  for (const total of totals.totals) {
    terminal.report({ event: 'total', ...total }, totalLines(total));
  }
  const { left_out: groups } = totals;
  if (groups.length === 0) return;
  terminal.report({ event: 'left_out', groups }, [leftOutLine(groups)]);
}

/** Writes the tables of all jobs of the run, also of those that are not finished or not submitted. */
async function writeTables(
  client: SoilClient,
  { folder, fields, jobs }: Run,
  outcomes: Outcomes,
  { rasters, facts }: { readonly rasters: readonly Raster[]; readonly facts: RunFacts | null },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const present = new Set(rasters.map(({ index }) => index));
  const models = facts?.models ?? (await storedFacts(folder)).models ?? [];
  return writeResults({
    folder,
    attributes: fields.attributes,
    crs: fields.crs,
    facts,
    jobs: resultJobs(jobs, outcomes, models, (index) => present.has(index)),
    styleOf: (model) => styleOf(client, model, signal),
  });
}

/** Null if the deployment no longer has the model. */
async function styleOf(
  client: SoilClient,
  model: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await client.modelStyle(model, { signal });
  } catch (error) {
    if (error instanceof SoilError && error.type === 'model-not-found') return null;
    throw error;
  }
}

/** What became of the run, as the last line and the exit code. */
export function concludeRun(
  { terminal, told }: Session,
  run: Run,
  outcomes: Outcomes,
  quota: SoilError | null,
): ExitCode {
  const expired = outcomes.expired.size;
  const jobs = [...outcomes.jobs].flatMap(([index, { job }]) =>
    outcomes.expired.has(index) ? [] : [job],
  );
  const completed = jobs.filter(({ status }) => status === 'completed').length;
  const failed = jobs.filter(({ status }) => status === 'failed').length;
  const waiting = jobsNotSubmitted(run.state);
  const pending = run.jobs.length - completed - failed - waiting - expired;
  const exitCode = exitCodeOf({ failed, pending: pending + expired, waiting });
  const tomorrow =
    waiting === 0
      ? []
      : [
          `${count(waiting, 'job')} not submitted: ${quota?.message ?? 'the same command continues.'}`,
        ];
  terminal.report(
    {
      event: 'finished',
      folder: run.folder,
      completed_jobs: completed,
      failed_jobs: failed,
      pending_jobs: pending,
      not_submitted_jobs: waiting,
      expired_jobs: expired,
      exit_code: exitCode,
    },
    [
      `${amount(completed)} of ${count(run.jobs.length, 'map')} in ${run.folder}`,
      ...warningLines(jobs, told),
      ...failureLines('failed', jobs),
      ...(failed === 0
        ? []
        : [
            'failed.geojson in that folder shows where each field is at fault. After the file is corrected, the same command submits only what changed.',
          ]),
      ...(pending === 0 ? [] : [`${count(pending, 'job')} not finished.`]),
      ...(expired === 0
        ? []
        : [
            `${count(expired, 'result')} expired before being downloaded: "run" with the file predicts ${expired === 1 ? 'it' : 'them'} again.`,
          ]),
      ...tomorrow,
    ],
  );
  return exitCode;
}

function exitCodeOf(left: {
  readonly failed: number;
  readonly pending: number;
  readonly waiting: number;
}): ExitCode {
  if (left.waiting > 0) return EXIT.quota;
  return left.failed + left.pending > 0 ? EXIT.partial : EXIT.complete;
}
