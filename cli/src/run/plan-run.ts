import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Chunk, FeatureCollection, SoilClient, Usage } from 'soil-batch-client';
import type { FieldCollection } from '../fields/field-collection.ts';
import { jobsOf, type RunJob } from './run-job.ts';

/** What a run predicts. A folder holds one of these. */
export interface RunRequest {
  /** As given on the command line. */
  readonly inputPath: string;
  readonly fields: FieldCollection;
  readonly years: readonly number[];
  readonly nameField: string | null;
  readonly model: string | null;
  readonly baseUrl: string;
}

/** A batch that is to be created. */
export interface PlannedChunk {
  /** Index of its first job in the run. */
  readonly firstJob: number;
  readonly jobs: number;
  readonly idempotencyKey: string;
  /** The exact text of the request. */
  readonly body: string;
}

export interface RunPlan {
  readonly runId: string;
  readonly jobs: readonly RunJob[];
  readonly chunks: readonly PlannedChunk[];
}

/** The batches of a run, within the limits of the service. */
export async function planRun(
  client: SoilClient,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunPlan> {
  const runId = randomUUID();
  const jobs = jobsOf(request.fields.features, request.years, request.nameField);
  return { runId, jobs, chunks: await chunksOf(client, request, { runId, jobs, signal }, [jobs]) };
}

/**
 * The same jobs in batches that today's quota, and then that of each day, accepts. Without this, a batch
 * that needs more than a day's quota would be rejected every day.
 * @param hectares charged for each job, by its index
 */
export async function planByQuota(
  client: SoilClient,
  request: RunRequest,
  { runId, jobs }: RunPlan,
  hectares: readonly number[],
  usage: Usage,
  signal: AbortSignal,
): Promise<RunPlan> {
  const days = daysOf(jobs, request.years.length, hectares, usage);
  return { runId, jobs, chunks: await chunksOf(client, request, { runId, jobs, signal }, days) };
}

interface Planning {
  readonly runId: string;
  readonly jobs: readonly RunJob[];
  readonly signal: AbortSignal;
}

/** @param groups consecutive jobs, each group with all years of its fields */
async function chunksOf(
  client: SoilClient,
  { years, model, inputPath }: RunRequest,
  { runId, signal }: Planning,
  groups: readonly (readonly RunJob[])[],
): Promise<readonly PlannedChunk[]> {
  const chunks: PlannedChunk[] = [];
  const batch = {
    name: [path.basename(inputPath), ...years].join(' ').slice(-NAME_CHARACTERS),
    metadata: metadataOf(runId),
    ...(model === null ? {} : { model }),
  };
  let firstJob = 0;
  for (const [index, group] of groups.entries()) {
    const features = featuresOf(group, years.length);
    const options = { year: years, runId: `${runId}/${index}`, batch, signal };
    for (const chunk of await client.planSubmission(features, options)) {
      chunks.push(plannedOf(chunk, firstJob));
      firstJob += chunk.jobs.length;
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

function plannedOf({ jobs, idempotencyKey, body }: Chunk, firstJob: number): PlannedChunk {
  return { firstJob, jobs: jobs.length, idempotencyKey, body };
}

/** The fields without their attributes, which stay here; the id becomes the name of the job. */
function featuresOf(jobs: readonly RunJob[], years: number): FeatureCollection {
  const fields = jobs.filter((_, index) => index % years === 0);
  return {
    type: 'FeatureCollection',
    features: fields.map(({ field: { geometry }, name }) => ({
      type: 'Feature',
      id: name,
      geometry,
      properties: null,
    })),
  };
}

function daysOf(
  jobs: readonly RunJob[],
  years: number,
  hectares: readonly number[],
  usage: Usage,
): readonly (readonly RunJob[])[] {
  const days: RunJob[][] = [[]];
  let left = { jobs: usage.jobs.remaining, hectares: usage.hectares.remaining };
  for (let first = 0; first < jobs.length; first += years) {
    const ofField = jobs.slice(first, first + years);
    const needed = ofField.reduce((sum, { index }) => sum + (hectares[index] ?? 0), 0);
    if (ofField.length > left.jobs || needed > left.hectares) {
      days.push([]);
      left = { jobs: usage.jobs.limit, hectares: usage.hectares.limit };
    }
    days.at(-1)?.push(...ofField);
    left = { jobs: left.jobs - ofField.length, hectares: left.hectares - needed };
  }
  return days.filter((day) => day.length > 0);
}
