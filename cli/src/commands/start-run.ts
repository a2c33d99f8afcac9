import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { SoilClient } from 'soil-batch-client';
import { CliError, EXIT, type ExitCode, usageError } from '../exit-code.ts';
import type { FieldCollection } from '../fields/field-collection.ts';
import { readFields } from '../fields/read-fields.ts';
import { KML_NAME } from '../fields/rules/placemark.ts';
import { continuationOf } from '../run/carry-over.ts';
import { sha256Of } from '../run/digests.ts';
import { estimateRun } from '../run/estimate-run.ts';
import { type Outcomes, readOutcomes } from '../run/outcomes.ts';
import {
  newRun,
  planByQuota,
  planRun,
  type RunPart,
  type RunPlan,
  type RunRequest,
} from '../run/plan-run.ts';
import {
  changeRun,
  createRun,
  type Held,
  heldIn,
  inputText,
  isOfSameFile,
  openRun,
  type Run,
} from '../run/run.ts';
import { attributeNames, type RunJob, requireAttribute } from '../run/run-job.ts';
import { mapsOf, type RunMap } from '../run/same-maps.ts';
import {
  changeLines,
  estimateEvent,
  estimateLines,
  repeatedMapsProblem,
} from './describe-estimate.ts';
import { type FieldOptions, resultFolder, type StartOptions } from './run-options.ts';
import type { Service, Session } from './session.ts';

/** Reads the file of a command line. */
export async function readRequest(
  { cwd, terminal }: Session,
  { baseUrl }: Service,
  file: string,
  options: FieldOptions,
): Promise<RunRequest> {
  const { layer, crs, model = null, year: years } = options;
  const inputFile = path.resolve(cwd, file);
  const fields = await readFields(inputFile, { layer, crs });
  const inputSha256 = await sha256Of(inputFile);
  const nameField = options.nameField ?? ownNameField(fields);
  for (const note of fields.notes) terminal.note(note);
  if (nameField !== null) requireAttribute(fields, nameField);
  return { inputPath: file, inputSha256, cwd, fields, years, nameField, model, baseUrl };
}

/** A Placemark has a name that is no attribute of its author's. */
function ownNameField({ format, features }: FieldCollection): string | null {
  const isNamed = features.some(({ properties }) => Object.hasOwn(properties, KML_NAME));
  return format === 'KML' && isNamed ? KML_NAME : null;
}

/** Plans the batches of some jobs, and shows what they would yield. */
export async function showEstimate(
  session: Session,
  { client }: Service,
  request: RunRequest,
  part: RunPart,
): Promise<ShownPlan> {
  const { terminal, signal } = session;
  const first = await planRun(client, request, part, signal);
  const estimate = await estimated(session, client, first);
  const names = attributeNames(request.fields);
  if (request.nameField === null && names.length > 0) {
    terminal.note(
      `The fields are numbered. --name-field names them by one of: ${names.join(', ')}`,
    );
  }
  const hectares = new Map(estimate.jobs.map((job) => [job.index, job.hectares]));
  const plan = estimate.fitsToday
    ? first
    : await planByQuota(client, request, part, hectares, estimate.usage, signal);
  terminal.report(estimateEvent(plan, estimate), estimateLines(plan, estimate, session.told));
  return { plan, maps: mapsOf(plan.jobs, estimate.jobs) };
}

interface ShownPlan {
  readonly plan: RunPlan;
  readonly maps: readonly RunMap[];
}

function estimated({ terminal, signal }: Session, client: SoilClient, { chunks }: RunPlan) {
  const bar = terminal.bar('Estimating', chunks.length);
  const onChunk = (done: number) => bar.update(done, '');
  return estimateRun(client, chunks, signal, onChunk).finally(() => bar.stop());
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
  const request = await readRequest(session, service, file, options);
  const folder = resultFolder(file, options, session.cwd);
  const held = await heldIn(folder, request);
  if (held !== 'nothing') {
    const run = await openRun(folder);
    const continued = await continueRun(session, service, request, { run, held, options }).catch(
      async (error: unknown) => {
        await run.release();
        throw error;
      },
    );
    if (continued === null) await run.release();
    return continued;
  }
  const { plan, maps } = await showEstimate(session, service, request, newRun(request));
  if (!(await agrees(session, options, maps))) return null;
  return createRun(folder, request, plan);
}

interface Continued {
  readonly run: Run;
  readonly held: Held;
  readonly options: StartOptions;
}

/**
 * The run with what it lacks: jobs whose field has changed in the file, and those whose result expired
 * before it was downloaded.
 * @returns null if the user does not agree
 */
async function continueRun(
  session: Session,
  service: Service,
  request: RunRequest,
  { run, held, options }: Continued,
): Promise<Run | null> {
  const { terminal, signal } = session;
  const outcomes = await readOutcomes(service.client, run, signal);
  if (held === 'run' && outcomes.expired.size === 0) {
    terminal.note(
      isFinished(run, outcomes)
        ? `${path.basename(request.inputPath)} has not changed: the run in ${run.folder} is finished, and nothing is submitted.`
        : `Continuing the run in ${run.folder}.`,
    );
    return run;
  }
  if (held === 'earlier-run') requireFile(session, run, request, options);
  const models =
    held === 'run' ? new Map() : await modelsOfKnown(session, service.client, request, run);
  const continuation = continuationOf(run, request, outcomes, models);
  const { jobs, kept } = continuation;
  const submit = jobs.flatMap(({ index }) => (kept.has(index) ? [] : [index]));
  const difference = { submit: submit.length, kept: kept.size, expired: outcomes.expired.size };
  const left = await mapsLeft(run, jobs);
  for (const line of changeLines({ ...difference, left })) terminal.note(line);
  if (submit.length === 0) return changeRun(run, request, continuation, []);
  const part = { runId: run.state.run_id, jobs, submit };
  const { plan, maps } = await showEstimate(session, service, request, part);
  if (!(await agrees(session, options, maps))) return null;
  return changeRun(run, request, continuation, plan.chunks);
}

/** The maps in the folder whose name none of the new jobs has. */
async function mapsLeft(run: Run, jobs: readonly RunJob[]): Promise<readonly string[]> {
  const present = new Set(await readdir(run.folder));
  const names = new Set(jobs.map(({ file }) => file));
  return run.jobs.flatMap(({ file }) => (present.has(file) && !names.has(file) ? [file] : []));
}

function isFinished({ jobs }: Run, outcomes: Outcomes): boolean {
  return jobs.every(({ index }) => {
    const status = outcomes.jobs.get(index)?.job.status;
    return status === 'completed' || status === 'failed';
  });
}

/**
 * The folder that is named after a file belongs to it: `f.csv` and `f.kml` have the same. Another file
 * continues a run only if its user names the folder.
 * @throws CliError
 */
function requireFile(
  { terminal }: Session,
  { folder, state: { input }, state }: Run,
  request: RunRequest,
  { out }: StartOptions,
): void {
  if (isOfSameFile(state, request)) return;
  const before = inputText(input);
  const now = inputText({ path: request.inputPath, layer: request.fields.layer });
  if (out === undefined) {
    throw new CliError(
      `${folder} holds the run of ${before}: add --out with a new folder for ${now}, or --out ${path.basename(folder)} if ${now} is to take its place`,
    );
  }
  terminal.note(`The run in ${folder} was of ${before}; ${now} takes its place.`);
}

/** By index, the models that would now predict those jobs of a request which the run has, too. */
async function modelsOfKnown(
  session: Session,
  client: SoilClient,
  request: RunRequest,
  run: Run,
): Promise<ReadonlyMap<number, string | null>> {
  const known = new Set(run.jobs.map(({ key }) => key));
  const all = newRun(request);
  const submit = all.jobs.flatMap(({ index, key }) => (known.has(key) ? [index] : []));
  const plan = await planRun(client, request, { ...all, submit }, session.signal);
  const { jobs } = await estimated(session, client, plan);
  return new Map(jobs.map(({ index, model }) => [index, model]));
}

/** @throws CliError if years give the same map, which the options do not allow */
async function agrees(
  { terminal }: Session,
  { yes, sameMaps }: StartOptions,
  maps: readonly RunMap[],
): Promise<boolean> {
  const problem = sameMaps === true ? null : repeatedMapsProblem(maps);
  if (problem !== null) throw usageError(problem);
  if (yes === true || (await terminal.confirm('Start?'))) return true;
  terminal.note('Not started.');
  return false;
}
