import path from 'node:path';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { readFields } from '../fields/read-fields.ts';
import { estimateRun, type RunEstimate } from '../run/estimate-run.ts';
import { planByQuota, planRun, type RunPlan, type RunRequest } from '../run/plan-run.ts';
import { createRun, holdsRun, openRun, type Run } from '../run/run.ts';
import { requireAttribute } from '../run/run-job.ts';
import { estimateEvent, estimateLines } from './describe-estimate.ts';
import { type FieldOptions, resultFolder, type StartOptions } from './run-options.ts';
import type { Service, Session } from './session.ts';

/** Reads the file of a command line. */
export async function readRequest(
  { cwd, terminal }: Session,
  { baseUrl }: Service,
  file: string,
  options: FieldOptions,
): Promise<RunRequest> {
  const { layer, nameField = null, model = null, year: years } = options;
  const fields = await readFields(path.resolve(cwd, file), layer === undefined ? {} : { layer });
  for (const note of fields.notes) terminal.note(note);
  if (nameField !== null) requireAttribute(fields, nameField);
  return { inputPath: file, fields, years, nameField, model, baseUrl };
}

/** Plans the batches of a request, and shows what they would yield. */
export async function showEstimate(
  { terminal, signal }: Session,
  { client }: Service,
  request: RunRequest,
): Promise<{ readonly plan: RunPlan; readonly estimate: RunEstimate }> {
  const first = await planRun(client, request, signal);
  const bar = terminal.bar('Estimating', first.chunks.length);
  const estimate = await estimateRun(client, first.chunks, signal, (done) =>
    bar.update(done, ''),
  ).finally(() => bar.stop());
  const hectares = estimate.jobs.map((job) => job.hectares);
  const plan = estimate.fitsToday
    ? first
    : await planByQuota(client, request, first, hectares, estimate.usage, signal);
  terminal.report(estimateEvent(plan, estimate), estimateLines(plan, estimate));
  return { plan, estimate };
}

/**
 * Works on the run of a command line, alone. Without the user's agreement there is none, and the command
 * ends with an error.
 */
export async function withStartedRun(
  session: Session,
  command: Command,
  work: (service: Service, run: Run) => Promise<ExitCode>,
): Promise<ExitCode> {
  const service = await session.connect();
  const run = await startRun(session, service, command.args[0] ?? '', command.opts<StartOptions>());
  if (run === null) return EXIT.error;
  try {
    return await work(service, run);
  } finally {
    await run.release();
  }
}

/**
 * The run of a command line: the one that its folder holds, or a new one if the user agrees. Nothing is
 * written before.
 * @returns null if the user does not agree
 */
async function startRun(
  session: Session,
  service: Service,
  file: string,
  options: StartOptions,
): Promise<Run | null> {
  const { cwd, terminal } = session;
  const request = await readRequest(session, service, file, options);
  const folder = resultFolder(file, options, cwd);
  if (await holdsRun(folder, request)) {
    terminal.note(`Continuing the run in ${folder}.`);
    return openRun(folder);
  }
  const { plan } = await showEstimate(session, service, request);
  if (options.yes !== true && !(await terminal.confirm('Start?'))) {
    terminal.note('Not started.');
    return null;
  }
  return createRun(folder, request, plan);
}
