import { computeHectares, SQUARE_METRES_PER_HECTARE } from '#engine/geometry/ellipsoid.ts';
import type { JsonObject } from '#engine/json/json-object.ts';
import type { BodySize } from '../admission/request-rate.ts';
import { type Batch, isFinal } from '../batch/batch.ts';
import { type OwnedBatchPorts, readOwnedBatch } from '../batch/owned-batch.ts';
import { type BatchId, type JobId, jobIdsOf } from '../identity.ts';
import type { JobErrorCode, JobRecord, JobStore } from '../job/job.ts';
import { entryAt, type JobEntry, type JobRequests, type TextRange } from '../job/job-requests.ts';
import { collectWarnings } from '../job/reading/job-view.ts';
import type { JobReference, RequestedJob } from '../job/requested-job.ts';
import { LIMITS } from '../limits.ts';
import { type CompletedJob, type ModelTotal, modelTotals } from './model-totals.ts';
import {
  type BatchPredictionErrors,
  decodePredictionErrors,
  type PredictionErrors,
} from './prediction-errors.ts';

export interface ReadTotalPorts extends OwnedBatchPorts {
  readonly jobs: Pick<JobStore, 'list'>;
  readonly jobRequests: Pick<JobRequests, 'entries' | 'jobs'>;
  readonly batchPredictionErrors: BatchPredictionErrors;
}

export interface LeftOutJob extends JobReference {
  readonly reason: 'failed' | 'unfinished' | 'no-mean';
  readonly code: JobErrorCode | null;
  /** Null if the area is unknown, as for an invalid polygon. */
  readonly hectares: number | null;
}

export interface BatchesTotal {
  readonly batches: readonly Batch[];
  readonly finished: boolean;
  readonly totals: readonly ModelTotal[];
  readonly leftOut: readonly LeftOutJob[];
  /** The number of jobs that the client excluded or that another of the batches retries. */
  readonly excludedJobs: number;
  /** Why the property cannot name strata; null if it can, or no strata are requested. */
  readonly refused: string | null;
}

export interface TotalSelection {
  readonly exclude?: ReadonlySet<JobId>;
  /** The member of the jobs' properties whose values are the strata; null for none. */
  readonly by?: string | null;
}

/** Reads the tenant's batches, or returns the first ID for which the tenant has no batch. */
export async function readOwnedBatches(
  ports: OwnedBatchPorts,
  tenant: string,
  batchIds: readonly string[],
): Promise<readonly Batch[] | { readonly unknown: string }> {
  const batches: Batch[] = [];
  for (const batchId of batchIds) {
    const batch = await readOwnedBatch(ports, tenant, batchId);
    if (batch === null) return { unknown: batchId };
    batches.push(batch);
  }
  return batches;
}

export function findUnknownJobs(
  batches: readonly Batch[],
  jobIds: readonly JobId[],
): readonly JobId[] {
  if (jobIds.length === 0) return [];
  const known = new Set(batches.flatMap((batch) => jobIdsOf(batch.batch_id, batch.total_jobs)));
  return jobIds.filter((jobId) => !known.has(jobId));
}

/**
 * @param batches read before this call, so that the jobs of a final batch are final
 * @param weigh called before anything that takes long
 */
export async function readTotal(
  ports: ReadTotalPorts,
  batches: readonly Batch[],
  weigh: (size: BodySize) => Promise<void>,
  { exclude = new Set(), by = null }: TotalSelection = {},
): Promise<BatchesTotal> {
  const requested = await Promise.all(
    batches.map(async (batch) => ({
      batch,
      entries: await ports.jobRequests.entries(batch.batch_id),
    })),
  );
  const sizes = requested.flatMap(({ entries }) => entries.map(({ length }) => length));
  await weigh({ jobs: sizes.length, bodyBytes: sizes.reduce((sum, length) => sum + length, 0) });
  const read = await Promise.all(
    requested.map(({ batch, entries }) => readBatchJobs(ports, batch, entries, { exclude, by })),
  );
  const retried = new Set(read.flatMap((batch) => batch.retried.map(keyOf)));
  const isCounted = (job: JobReference): boolean => !retried.has(keyOf(job));
  const completed = read.flatMap((batch) => batch.completed).filter(isCounted);
  const leftOut = read.flatMap((batch) => batch.leftOut).filter(isCounted);
  const refused = refuseValues(completed);
  const totals = refused === null ? modelTotals(completed, by !== null) : [];
  const jobs = batches.reduce((sum, { total_jobs }) => sum + total_jobs, 0);
  return {
    batches,
    finished: batches.every(isFinal),
    totals,
    refused: refused ?? refuseStrata(totals.reduce((sum, { strata }) => sum + strata.length, 0)),
    leftOut,
    excludedJobs: jobs - completed.length - leftOut.length,
  };
}

const keyOf = ({ batchId, index }: JobReference) => `${batchId}/${index}`;

async function readBatchJobs(
  ports: ReadTotalPorts,
  batch: Batch,
  entries: readonly JobEntry[],
  { exclude, by }: Required<TotalSelection>,
) {
  const { batch_id: batchId, total_jobs } = batch;
  const [records, jobOf, errors] = await Promise.all([
    ports.jobs.list(batchId),
    ports.jobRequests.jobs(batchId),
    isFinal(batch) ? readPredictionErrors(ports, batchId) : null,
  ]);
  const byIndex = new Map(records.map((record) => [record.job_index, record]));
  const completed: CompletedJob[] = [];
  const leftOut: LeftOutJob[] = [];
  for (const [index, jobId] of jobIdsOf(batchId, total_jobs).entries()) {
    if (exclude.has(jobId)) continue;
    const record = byIndex.get(index) ?? null;
    const entry = entryAt(entries, batchId, index);
    if (record?.status === 'completed' && record.summary !== undefined) {
      const { summary, model } = record;
      const { name, year } = entry;
      const { geometry, properties } = jobOf(entry);
      const polygon = geometry.polygon ?? [];
      const stratum = by === null ? null : stratumOf(properties, by);
      completed.push({
        ...{ batchId, index, jobId, name, year, model, polygon, summary, stratum },
        errors: errors === null || summary.level === null ? null : errors(index),
        warnings: collectWarnings(record).map(({ code }) => code),
      });
    } else {
      const why = classifyLeftOut(record);
      leftOut.push({ batchId, index, ...why, hectares: measureHectares(entry, jobOf, why.code) });
    }
  }
  const retried = entries.flatMap(({ retryOf }) => retryOf ?? []);
  return { completed, leftOut, retried };
}

/** The response contains these values, so they are limited to the length of names. */
function refuseValues(jobs: readonly CompletedJob[]): string | null {
  const values = new Set(jobs.map(({ stratum }) => stratum));
  const longest = Math.max(0, ...[...values].map((value) => value?.length ?? 0));
  if (longest > LIMITS.nameCharacters) {
    return `has a value of ${longest} characters; at most ${LIMITS.nameCharacters} are allowed`;
  }
  return refuseStrata(values.size);
}

/** If fields occur with several years, each year has its own total and strata. */
function refuseStrata(strata: number): string | null {
  return strata > LIMITS.strataPerTotal
    ? `gives ${strata} strata; at most ${LIMITS.strataPerTotal} are allowed`
    : null;
}

/** Numbers, arrays and other values are named by their JSON. */
function stratumOf(properties: JsonObject | null, by: string): string | null {
  const value = properties !== null && Object.hasOwn(properties, by) ? properties[by] : null;
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function readPredictionErrors({ batchPredictionErrors }: ReadTotalPorts, batchId: BatchId) {
  const bytes = await batchPredictionErrors.read(batchId);
  const storedErrors = bytes === null ? [] : decodePredictionErrors(bytes);
  const byIndex = new Map(storedErrors.map((job) => [job.job_index, job]));
  return (index: number): PredictionErrors => {
    const errors = byIndex.get(index);
    if (errors === undefined)
      throw new Error(`batch ${batchId} has no prediction errors of job ${index}`);
    return errors;
  };
}

/** Codes of jobs that are rejected although their polygon is valid. */
const REJECTIONS: ReadonlySet<JobErrorCode | null> = new Set([
  'area_over_limit',
  'outside_coverage',
  'year_not_covered',
  'model_unknown',
]);

/**
 * Reads the area from the index, which holds it for every job that may succeed, or else measures the polygon of a
 * rejected job.
 */
function measureHectares(
  entry: JobEntry,
  jobOf: (range: TextRange) => RequestedJob,
  code: JobErrorCode | null,
): number | null {
  if (entry.squareMetres > 0) return entry.squareMetres / SQUARE_METRES_PER_HECTARE;
  return REJECTIONS.has(code) ? computeHectares(jobOf(entry).geometry.polygon ?? []) : null;
}

function classifyLeftOut(record: JobRecord | null): Pick<LeftOutJob, 'reason' | 'code'> {
  switch (record?.status) {
    case 'completed':
      return { reason: 'no-mean', code: null };
    case 'failed':
      return { reason: 'failed', code: record.error.code };
    default:
      return { reason: 'unfinished', code: null };
  }
}
