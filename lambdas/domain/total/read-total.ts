import { overlapHectares } from '#engine/geometry/overlap.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { NODE_NUMBERS } from '#engine/raster/summary/coarse-nodes.ts';
import { type Batch, isFinal } from '../batch/batch.ts';
import { type OwnedBatchPorts, ownedBatch } from '../batch/owned-batch.ts';
import type { BatchId } from '../identity.ts';
import type { JobErrorCode, JobModel, JobRecord, JobStore } from '../job/job.ts';
import { entryAt, type JobRequests } from '../job/job-requests.ts';
import { partsIn, ringsIn } from '../job/job-text.ts';
import { decodeErrors, type ErrorFiles, type JobErrors } from './job-errors.ts';
import { type SummedJob, type Total, totalOf } from './total.ts';

export interface ReadTotalPorts extends OwnedBatchPorts {
  readonly jobs: Pick<JobStore, 'list'>;
  readonly jobRequests: Pick<JobRequests, 'entries' | 'text'>;
  readonly errorFiles: Pick<ErrorFiles, 'readBatch'>;
}

/** A job of a batch by its index. */
export interface JobRef {
  readonly batchId: BatchId;
  readonly index: number;
}

/** The jobs of one model and one period of data. */
export interface ModelTotal {
  readonly model: JobModel;
  readonly jobs: readonly JobRef[];
  readonly total: Total;
  readonly unit: string;
  /** That two jobs share, summed over all pairs; null if it is too much to compare. */
  readonly overlapHectares: number | null;
  /** Why there is no interval; null if there is one. */
  readonly missing: MissingInterval | null;
}

export type MissingInterval =
  /** The model declares no correlation of its errors. */
  | { readonly kind: 'no-correlation' }
  /** Errors are joined when a batch is finished. */
  | { readonly kind: 'unfinished' }
  /** An older version completed so many of the jobs, and kept no errors. */
  | { readonly kind: 'not-kept'; readonly jobs: number }
  | { readonly kind: 'too-many'; readonly nodes: number; readonly allowed: number };

/** A job that is in no total; one that another of the batches runs again is not listed. */
export interface LeftOut extends JobRef {
  readonly reason: 'failed' | 'unfinished' | 'no-mean';
  readonly code: JobErrorCode | null;
}

export interface BatchesTotal {
  readonly batches: readonly Batch[];
  readonly finished: boolean;
  readonly totals: readonly ModelTotal[];
  readonly leftOut: readonly LeftOut[];
}

/** The tenant's batches, or the id of the first that the tenant does not have. */
export async function ownedBatches(
  ports: OwnedBatchPorts,
  tenant: string,
  batchIds: readonly string[],
): Promise<readonly Batch[] | { readonly unknown: string }> {
  const batches: Batch[] = [];
  for (const batchId of batchIds) {
    const batch = await ownedBatch(ports, tenant, batchId);
    if (batch === null) return { unknown: batchId };
    batches.push(batch);
  }
  return batches;
}

/** @param batches read before: if one is final, so are its jobs */
export async function readTotal(
  ports: ReadTotalPorts,
  batches: readonly Batch[],
): Promise<BatchesTotal> {
  const read = await Promise.all(batches.map((batch) => readBatch(ports, batch)));
  const retried = new Set(read.flatMap((batch) => batch.retried.map(keyOf)));
  const leftOut = read.flatMap((batch) => batch.leftOut).filter((job) => !retried.has(keyOf(job)));
  return {
    batches,
    finished: batches.every(({ state }) => isFinal(state)),
    totals: totalsOf(read.flatMap(({ summed }) => summed)),
    leftOut,
  };
}

const keyOf = ({ batchId, index }: JobRef) => `${batchId}/${index}`;

interface SummedRecord extends SummedJob, JobRef {
  readonly model: JobModel;
  readonly polygon: MultiPolygonRings;
  readonly isFinished: boolean;
}

async function readBatch(ports: ReadTotalPorts, batch: Batch) {
  const { batchId, totalJobs } = batch;
  const isFinished = isFinal(batch.state);
  const [records, entries, text, bytes] = await Promise.all([
    ports.jobs.list(batchId),
    ports.jobRequests.entries(batchId),
    ports.jobRequests.text(batchId),
    isFinished ? ports.errorFiles.readBatch(batchId) : null,
  ]);
  const byIndex = new Map(records.map((record) => [record.index, record]));
  const kept = bytes === null ? [] : decodeErrors(bytes);
  const errors = new Map<number, JobErrors>(kept.map((job) => [job.job_index, job]));
  const summed: SummedRecord[] = [];
  const leftOut: LeftOut[] = [];
  for (let index = 0; index < totalJobs; index++) {
    const record = byIndex.get(index) ?? null;
    const { summary, model } = record ?? {};
    if (record?.state.status === 'completed' && summary !== undefined && model) {
      const { offset, length, parts } = entryAt(entries, batchId, index);
      const jobText = text.subarray(offset, offset + length);
      const polygon = ringsIn(jobText, parts ?? partsIn(jobText)) ?? [];
      const job = { batchId, index, model, polygon, isFinished };
      summed.push({ ...job, summary, errors: errors.get(index) ?? null });
    } else {
      leftOut.push({ batchId, index, ...reasonOf(record) });
    }
  }
  const retried = entries.flatMap(({ retryOf }) => retryOf ?? []);
  return { summed, leftOut, retried };
}

function reasonOf(record: JobRecord | null): Pick<LeftOut, 'reason' | 'code'> {
  switch (record?.state.status) {
    case 'completed':
      return { reason: 'no-mean', code: null };
    case 'failed':
      return { reason: 'failed', code: record.state.error.code };
    default:
      return { reason: 'unfinished', code: null };
  }
}

function totalsOf(jobs: readonly SummedRecord[]): readonly ModelTotal[] {
  const groups = groupedBy(jobs, ({ model }) => [model.id, ...model.dataPeriod].join(' '));
  return groups.flatMap((group) => {
    const missing = missingInterval(group);
    const total = totalOf(group, missing === null);
    const [first] = group;
    if (total === null || first === undefined) return [];
    const { model, summary } = first;
    const refs = group.map(({ batchId, index }) => ({ batchId, index }));
    const overlap = overlapHectares(group.map(({ polygon }) => polygon));
    return [{ model, jobs: refs, total, unit: summary.unit, overlapHectares: overlap, missing }];
  });
}

function missingInterval(group: readonly SummedRecord[]): MissingInterval | null {
  const without = group.filter(({ errors }) => errors === null);
  if (without.length === 0) return tooMany(group);
  if (without.some(({ summary }) => summary.level === null)) return { kind: 'no-correlation' };
  if (without.some(({ isFinished }) => !isFinished)) return { kind: 'unfinished' };
  return { kind: 'not-kept', jobs: without.length };
}

/** Of all jobs of a total: their trees take 136 bytes for each, and a function has 1 GB. */
const MAX_NODES = 2_000_000;

function tooMany(group: readonly SummedRecord[]): MissingInterval | null {
  const nodes = group.reduce((sum, { errors }) => sum + nodesIn(errors), 0);
  return nodes > MAX_NODES ? { kind: 'too-many', nodes, allowed: MAX_NODES } : null;
}

function nodesIn(errors: JobErrors | null): number {
  return (errors?.nodes?.values.length ?? 0) / NODE_NUMBERS;
}

/** In the order in which their first members come. */
export function groupedBy<Member>(
  members: readonly Member[],
  keyOf: (member: Member) => string,
): readonly (readonly Member[])[] {
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const group = groups.get(keyOf(member));
    if (group === undefined) groups.set(keyOf(member), [member]);
    else group.push(member);
  }
  return [...groups.values()];
}
