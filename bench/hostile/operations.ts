import { gzipSync } from 'node:zlib';
import { processCpu } from '../../lambdas/adapters/processor.ts';
import { creationResponse } from '../../lambdas/api/operations/create-batch.ts';
import { timestamp } from '../../lambdas/domain/clock.ts';
import { newBatchId } from '../../lambdas/domain/identity.ts';
import { provenanceTags } from '../../lambdas/domain/job/finishing/provenance.ts';
import { entryAt } from '../../lambdas/domain/job/job-requests.ts';
import type { RequestedJob } from '../../lambdas/domain/job/requested-job.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { encodePredictionErrors } from '../../lambdas/domain/total/prediction-errors.ts';
import { LARGEST_EDGE } from '../../lambdas/drawing/result-map.ts';
import { SUMMARY } from '../../test/support/api/batch-with-results.ts';
import { bands, COG, PROVENANCE } from '../../test/support/api/completed-result.ts';
import type { Call } from '../../test/support/api/gateway-event.ts';
import {
  aPlanOf,
  completedJob,
  completedPatchBatch,
  failedJob,
} from '../../test/support/api/job-records.ts';
import {
  type Answer,
  inMemoryService,
  jobCall,
  patchBatchCall,
  resultsCall,
  statusCall,
  totalCall,
} from '../../test/support/api/service.ts';
import { copyRequest, NOW } from '../../test/support/api/written-stores.ts';
import { raster, waves, writeCog } from '../../test/support/raster/builders.ts';
import { computeMedian, measureCpuMs } from '../own-use.ts';
import type { HostileBody } from './bodies.ts';
import { createErrors } from './job-errors.ts';

const ROUNDS = 3;

type Service = ReturnType<typeof inMemoryService>;

/** A batch created from a body. All its jobs are completed, except those without a polygon. */
interface CreatedBatch {
  readonly service: Service;
  readonly batchId: string;
  readonly jobId: string;
}

export interface Measured {
  readonly operation: string;
  readonly body: HostileBody;
  readonly status: number;
  readonly responseBytes: number;
  readonly cpuMs: number;
  readonly goalMs: number;
}

const GOALS = { create: 1_200, estimate: 2_500, item: 300, total: 2_000 } as const;

/** Returns a read's goal in milliseconds. Most goals depend on the full response. */
function readGoal(operation: string, { responseBytes, items }: Response): number {
  switch (operation) {
    case 'results, STAC':
      return 200 + MS_PER_ITEM * items;
    case 'total':
      return GOALS.total;
    case 'result item':
      return GOALS.item;
    case 'result preview':
      return 200 + (LARGEST_EDGE * LARGEST_EDGE * 6) / 10_000;
    default:
      return 200 + responseBytes / 10_000;
  }
}

/** The time for each STAC Item, which includes reading the header of its raster. */
const MS_PER_ITEM = 3;

/** A raster with as many cells as the largest preview has pixels; neighbouring cells differ. */
const LARGEST_PREVIEW = await writeCog(
  raster({
    width: LARGEST_EDGE,
    height: LARGEST_EDGE,
    bands,
    tags: provenanceTags(PROVENANCE),
  }),
  waves,
);

const createJobCall = ({ batchId, jobId }: CreatedBatch, what: string): Call => ({
  path: `/v1/batch/${batchId}/jobs/${jobId}/${what}`,
  resource: `/v1/batch/{batch_id}/jobs/{job_id}/${what}`,
  parameters: { batch_id: batchId, job_id: jobId },
});

type ReadOperation = readonly [
  name: string,
  Service[keyof Service] & Caller,
  (batch: CreatedBatch) => Call,
];
type Caller = (call?: Call) => Promise<Answer>;

function listReadOperations({ service }: CreatedBatch): readonly ReadOperation[] {
  const results = (format: string) => (batch: CreatedBatch) =>
    resultsCall(batch.batchId, { query: { format } });
  return [
    ['list of 20 batches', service.list, () => ({})],
    ['batch status', service.batchStatus, ({ batchId }) => statusCall(batchId)],
    [
      'batch status, 1 job',
      service.batchStatus,
      ({ batchId }) => statusCall(batchId, { limit: '1' }),
    ],
    ['job status', service.jobStatus, ({ batchId, jobId }) => jobCall(batchId, jobId)],
    [
      'patch-batch status',
      service.patchBatchStatus,
      (batch) => patchBatchCall(batch.batchId, batch.jobId, '0'),
    ],
    ['results, GeoJSON', service.batchResults, results('geojson')],
    ['results, CSV', service.batchResults, results('csv')],
    ['results, STAC', service.batchResults, results('stac')],
    ['total', service.batchTotal, ({ batchId }) => totalCall(batchId)],
    ['result', service.result, (batch) => createJobCall(batch, 'result')],
    ['result item', service.resultItem, (batch) => createJobCall(batch, 'item')],
    ['result preview', service.resultPreview, (batch) => createJobCall(batch, 'preview')],
    ['usage', service.usage, () => ({})],
    ['limits', service.limits, () => ({})],
    ['models', service.models, () => ({})],
  ];
}

/**
 * Measures the CPU time that a function takes to create a batch from a body and to estimate it. If the batch is
 * created, it also measures the read operations and, for each response with an ETag, the same request with
 * `If-None-Match`.
 */
export async function measureOperations(body: HostileBody): Promise<readonly Measured[]> {
  const call: Call = { body: gzipSync(body.text), headers: { 'Content-Encoding': 'gzip' } };
  const created = await measureRounds(() => inMemoryService().create(call));
  const estimated = await measureRounds(() =>
    inMemoryService({ cpuClock: processCpu }).estimate(call),
  );
  const found: Measured[] = [
    { operation: 'create', body, goalMs: GOALS.create, ...created },
    { operation: 'estimate', body, goalMs: GOALS.estimate, ...estimated },
  ];
  if (created.status !== 202) return found;
  const batch = await completeBatch(call);
  for (const [operation, read, callOf] of listReadOperations(batch)) {
    const call = callOf(batch);
    const full = await measureRounds(() => read(call));
    const goalMs = readGoal(operation, full);
    found.push({ operation, body, goalMs, ...full });
    if (full.etag === null) continue;
    const headers = { 'If-None-Match': full.etag };
    const unchanged = await measureRounds(() => read({ ...call, headers }));
    found.push({ operation: `${operation}, unchanged`, body, goalMs, ...unchanged });
  }
  return found;
}

async function measureRounds(request: () => Promise<Answer>) {
  const times: number[] = [];
  let answer: Answer | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(
      await measureCpuMs(async () => {
        answer = await request();
      }),
    );
  }
  return { ...countResponse(answer), cpuMs: computeMedian(times) };
}

interface Response {
  readonly status: number;
  readonly responseBytes: number;
  readonly items: number;
  readonly etag: string | null;
}

function countResponse(answer: Answer | null): Response {
  const etag = answer?.headers['ETag'];
  const text = answer?.text ?? '';
  return {
    status: answer?.status ?? 0,
    responseBytes: Buffer.byteLength(text),
    items: text.match(/"stac_version"/g)?.length ?? 0,
    etag: typeof etag === 'string' ? etag : null,
  };
}

const BATCHES_OF_PAGE = LIMITS.batchesPage.default;

async function completeBatch(call: Call): Promise<CreatedBatch> {
  const service = inMemoryService();
  const { body } = await service.create(call);
  const { batch_id: batchId, job_ids } = creationResponse.parse(body);
  const jobIds = Object.values(job_ids);
  const [entries, jobOf] = await Promise.all([
    service.requests.entries(batchId),
    service.requests.jobs(batchId),
  ]);
  for (const [index, jobId] of jobIds.entries()) {
    if (jobOf(entryAt(entries, batchId, index)).geometry.polygon === null) {
      await service.storeJob(batchId, failedJob(index));
      continue;
    }
    await service.storeJob(batchId, { ...completedJob(index), summary: SUMMARY });
    service.rasters.set(`${batchId}/${jobId}`, index === jobIds.length - 1 ? LARGEST_PREVIEW : COG);
  }
  await finishJobs(service, batchId, (index) => jobOf(entryAt(entries, batchId, index)));
  const last = jobIds.length - 1;
  await service.storePlan(batchId, last, aPlanOf(LIMITS.patchBatchesPerJob));
  for (let idx = 0; idx < LIMITS.patchBatchesPerJob; idx += 1) {
    await service.storePatchBatch(batchId, last, completedPatchBatch(idx));
  }
  await fillPage(service, batchId);
  return { service, batchId, jobId: jobIds.at(-1) ?? '' };
}

/** Ends the batch and joins its jobs' prediction errors, without which a total has no interval. */
async function finishJobs(
  service: Service,
  batchId: string,
  jobAt: (index: number) => RequestedJob,
): Promise<void> {
  const { total_jobs } = (await service.storedBatch(batchId)).batch;
  const errors = Array.from({ length: total_jobs }, (_, index) => {
    const { polygon } = jobAt(index).geometry;
    return polygon === null ? [] : createErrors(polygon, index);
  });
  await service.batchPredictionErrors.write(batchId, encodePredictionErrors(errors.flat()));
  const at = timestamp(NOW);
  const ended = { started_at: at, completed_at: at, completed_jobs: total_jobs };
  await service.changeBatch(batchId, { status: 'completed', ...ended });
}

async function fillPage(service: Service, batchId: string): Promise<void> {
  const { batch, metadata } = await service.storedBatch(batchId);
  for (let more = 1; more < BATCHES_OF_PAGE; more += 1) {
    const copy = newBatchId(NOW);
    await service.storeBatch({ ...batch, batch_id: copy }, metadata);
    copyRequest(service, batchId, copy);
  }
}
