import { findOwnedJob, type OwnedBatchPorts } from '../../batch/owned-batch.ts';
import type { Page } from '../../cursor.ts';
import { type CopyViewsPorts, readCopyViews } from '../../destination/copy-status.ts';
import type { PatchBatchStore } from '../../patch-batch/patch-batch.ts';
import { type PatchBatchView, patchBatchView } from '../../patch-batch/read-patch-batch.ts';
import type { JobRecord, JobStore } from '../job.ts';
import { entryAt, type JobRequests } from '../job-requests.ts';
import { downloadNames } from './download-names.ts';
import { type JobDetail, jobDetail } from './job-view.ts';
import { type ResultSigner, signResultUrl } from './result-signer.ts';

export interface ReadJobPorts extends OwnedBatchPorts, CopyViewsPorts {
  readonly jobs: Pick<JobStore, 'read'>;
  readonly jobRequests: Pick<JobRequests, 'entries' | 'job'>;
  readonly patchBatches: Pick<PatchBatchStore, 'readPlan' | 'listPatchBatches'>;
  readonly signer: ResultSigner;
}

export type JobReading =
  | { readonly kind: 'batch-unknown' }
  | { readonly kind: 'job-unknown' }
  | (JobDetail & {
      readonly kind: 'job';
      /** Null until the job is planned or has failed. */
      readonly record: JobRecord | null;
      readonly patchBatches: readonly PatchBatchView[];
      /** The index at which the next page starts; null on the last page. */
      readonly next: number | null;
      readonly finished: boolean;
    });

/**
 * `page.first` is a patch-batch index.
 * @throws SigningKeyUnavailable if the job's URL cannot be signed now
 */
export async function readJob(
  ports: ReadJobPorts,
  tenant: string,
  batchId: string,
  jobId: string,
  page: Page,
): Promise<JobReading> {
  const found = await findOwnedJob(ports, tenant, batchId, jobId);
  if (found.kind !== 'found') return found;
  const { batch, jobIndex } = found;
  const [record, entries] = await Promise.all([
    ports.jobs.read(batch.batch_id, jobIndex),
    ports.jobRequests.entries(batch.batch_id),
  ]);
  const entry = entryAt(entries, batch.batch_id, jobIndex);
  const fileName = downloadNames(batch, entries)(jobIndex, record?.model ?? null);
  const total = record?.total_patch_batches ?? 0;
  const end = Math.min(page.first + page.limit, total);
  const [requested, url, patchBatches, { viewJob }] = await Promise.all([
    entry.hasProperties ? ports.jobRequests.job(batch.batch_id, entry) : NO_PROPERTIES,
    signResultUrl(ports.signer, batch.batch_id, jobIndex, record, fileName),
    readPatchBatchPage(ports, batch.batch_id, jobIndex, record, page.first, end),
    readCopyViews(ports, batch),
  ]);
  const shown = await withCounters(ports, batch.batch_id, record, patchBatches);
  return {
    kind: 'job',
    ...jobDetail(batch, jobIndex, entry, shown, requested, url, viewJob),
    record: shown,
    patchBatches,
    next: end < total ? end : null,
    finished: record !== null && record.status !== 'processing',
  };
}

/** A job without properties has no warnings about its request either, so its request is not read. */
const NO_PROPERTIES = { properties: null, warnings: [] } as const;

async function readPatchBatchPage(
  { patchBatches }: ReadJobPorts,
  batchId: string,
  jobIndex: number,
  job: JobRecord | null,
  first: number,
  end: number,
): Promise<readonly PatchBatchView[]> {
  if (first >= end) return [];
  const [plan, records] = await Promise.all([
    patchBatches.readPlan(batchId, jobIndex),
    patchBatches.listPatchBatches(batchId, jobIndex, first, end),
  ]);
  const byIdx = new Map(records.map((record) => [record.patch_batch_idx, record]));
  return (plan?.blocks ?? [])
    .filter(({ idx }) => idx >= first && idx < end)
    .map((block) => patchBatchView(block, byIdx.get(block.idx) ?? null, job));
}

/**
 * Returns counters that are at least as new as the patch-batches on the page, which were read after the job. If the
 * page has all patch-batches, the counters are computed from them; otherwise the job is read again.
 */
async function withCounters(
  { jobs }: ReadJobPorts,
  batchId: string,
  job: JobRecord | null,
  page: readonly PatchBatchView[],
): Promise<JobRecord | null> {
  if (job?.status !== 'processing') return job;
  if (page.length < job.total_patch_batches) {
    const later = await jobs.read(batchId, job.job_index);
    return {
      ...job,
      completed_patch_batches: later?.completed_patch_batches ?? job.completed_patch_batches,
      completed_points: later?.completed_points ?? job.completed_points,
      predicted_points: later?.predicted_points ?? job.predicted_points,
    };
  }
  const completed = page.filter(({ status }) => status === 'completed');
  return {
    ...job,
    completed_patch_batches: completed.length,
    completed_points: completed.reduce((sum, each) => sum + each.point_count, 0),
    predicted_points: completed.reduce((sum, each) => sum + (each.predicted_point_count ?? 0), 0),
  };
}
