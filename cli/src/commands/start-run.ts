import path from 'node:path';
import { readFields } from '../fields/read-fields.ts';
import { estimateRun, type RunEstimate } from '../run/estimate-run.ts';
import { planByQuota, planRun } from '../run/plan-run.ts';
import { createRun, holdsRun, openRun, type Run } from '../run/run.ts';
import { requireAttribute } from '../run/run-job.ts';
import type { RunPlan, RunRequest } from '../run/run-plan.ts';
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
 * The run of a command line: the one that its folder holds, or a new one if the user agrees. Nothing is
 * written before.
 * @returns null if the user does not agree
 */
export async function startRun(
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
