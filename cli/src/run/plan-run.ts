import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { FeatureCollection, SoilClient, Usage } from 'soil-batch-client';
import type { FieldCollection } from '../fields/field-collection.ts';
import { jobsOf, type RunJob } from './run-job.ts';

/** What a run predicts. A folder holds one of these. */
export interface RunRequest {
  /** As given on the command line, from the working folder. */
  readonly inputPath: string;
  readonly cwd: string;
  /** Of the file. */
  readonly inputSha256: string;
  readonly fields: FieldCollection;
  readonly years: readonly number[];
  readonly nameField: string | null;
  readonly model: string | null;
  readonly baseUrl: string;
}

/** A batch that is to be created. */
export interface PlannedChunk {
  /** Indexes of its jobs in the run. */
  readonly jobs: readonly number[];
  readonly idempotencyKey: string;
  /** The exact text of the request. */
  readonly body: string;
}

/** The jobs of a run, and which of them are to be submitted. */
export interface RunPart {
  readonly runId: string;
  readonly jobs: readonly RunJob[];
  /** Indexes, in their order. */
  readonly submit: readonly number[];
}

export interface RunPlan extends RunPart {
  readonly chunks: readonly PlannedChunk[];
}

/** All jobs of a request, as a new run. */
export function newRun({ fields, years, nameField }: RunRequest): RunPart {
  const jobs = jobsOf(fields.features, years, nameField);
  return { runId: randomUUID(), jobs, submit: jobs.map(({ index }) => index) };
}

/** The batches of a run, within the limits of the service. */
export async function planRun(
  client: SoilClient,
  request: RunRequest,
  part: RunPart,
  signal: AbortSignal,
): Promise<RunPlan> {
  return { ...part, chunks: await chunksOf(client, request, part, [part.submit], signal) };
}

/**
 * The same jobs in batches that today's quota, and then that of each day, accepts. Without this, a batch
 * that needs more than a day's quota would be rejected every day.
 * @param hectares charged for each job, by its index
 */
export async function planByQuota(
  client: SoilClient,
  request: RunRequest,
  part: RunPart,
  hectares: ReadonlyMap<number, number>,
  usage: Usage,
  signal: AbortSignal,
): Promise<RunPlan> {
  const days = daysOf(part.submit, hectares, usage);
  return { ...part, chunks: await chunksOf(client, request, part, days, signal) };
}

/** @param groups of indexes, a batch or several for each */
async function chunksOf(
  client: SoilClient,
  { years, model, inputPath }: RunRequest,
  { runId, jobs }: RunPart,
  groups: readonly (readonly number[])[],
  signal: AbortSignal,
): Promise<readonly PlannedChunk[]> {
  const features = featuresOf(jobs, years.length);
  const batch = {
    name: [path.basename(inputPath), ...years].join(' ').slice(-NAME_CHARACTERS),
    metadata: metadataOf(runId),
    ...(model === null ? {} : { model }),
  };
  type Job = { readonly featureIndex: number; readonly year: number };
  const indexOf = ({ featureIndex, year }: Job) =>
    featureIndex * years.length + years.indexOf(year);
  // A run may be planned several times: each plan has keys of its own.
  const planId = randomUUID();
  const chunks: PlannedChunk[] = [];
  for (const [index, group] of groups.entries()) {
    const wanted = new Set(group);
    const include = (job: Job) => wanted.has(indexOf(job));
    const options = { year: years, runId: `${planId}/${index}`, batch, include, signal };
    for (const chunk of await client.planSubmission(features, options)) {
      const { idempotencyKey, body } = chunk;
      chunks.push({ jobs: chunk.jobs.map(indexOf), idempotencyKey, body });
    }
  }
  return chunks;
}

/** The longest name of a batch that the service accepts. */
const NAME_CHARACTERS = 255;

/** What the service stores with a batch, to find it again. */
function metadataOf(runId: string): { readonly client: string; readonly run_id: string } {
  return { client: 'soil-batch-cli', run_id: runId };
}

/** The fields without their attributes, which stay here; the id becomes the name of the job. */
function featuresOf(jobs: readonly RunJob[], years: number): FeatureCollection {
  const fields = jobs.filter((_, index) => index % years === 0);
  return {
    type: 'FeatureCollection',
    features: fields.map(sentFeature),
  };
}

/** The polygon of a job as the client sends it, members in this order: the service computes its digest. */
export function sentFeature({ field, name }: Pick<RunJob, 'field' | 'name'>) {
  return { type: 'Feature', id: name, properties: null, geometry: field.geometry };
}

function daysOf(
  jobs: readonly number[],
  hectares: ReadonlyMap<number, number>,
  usage: Usage,
): readonly (readonly number[])[] {
  const days: number[][] = [[]];
  let left = { jobs: usage.jobs.remaining, hectares: usage.hectares.remaining };
  for (const index of jobs) {
    const needed = hectares.get(index) ?? 0;
    if (left.jobs < 1 || needed > left.hectares) {
      days.push([]);
      left = { jobs: usage.jobs.limit, hectares: usage.hectares.limit };
    }
    days.at(-1)?.push(index);
    left = { jobs: left.jobs - 1, hectares: left.hectares - needed };
  }
  return days.filter((day) => day.length > 0);
}
