import { gzipSync } from 'node:zlib';
import { processCpu } from '../../lambdas/adapters/process-cpu.ts';
import { creationResponse } from '../../lambdas/api/operations/batch/creation-response.ts';
import { newBatchId } from '../../lambdas/domain/identity.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { SUMMARY } from '../../test/unit/api/batch-with-results.ts';
import { COG } from '../../test/unit/api/completed-result.ts';
import type { Call } from '../../test/unit/api/gateway-event.ts';
import { completedJob, completedPatchBatch, planOf } from '../../test/unit/api/job-records.ts';
import {
  type Answer,
  inMemoryService,
  jobCall,
  NOW,
  patchBatchCall,
  resultsCall,
  statusCall,
} from '../../test/unit/api/service.ts';
import { cpuMs, median } from '../own-use.ts';
import type { HostileBody } from './bodies.ts';

const ROUNDS = 3;

type Service = ReturnType<typeof inMemoryService>;

/** A batch of a body; all its jobs are completed. */
interface CreatedBatch {
  readonly service: Service;
  readonly batchId: string;
  /** Of the last job, behind which nothing is left to read. */
  readonly jobId: string;
}

export interface Measured {
  readonly operation: string;
  readonly body: HostileBody;
  readonly status: number;
  readonly responseBytes: number;
  readonly cpuMs: number;
  /** Null for responses that are made from rasters. */
  readonly goalMs: number | null;
}

/** Goal of a read, by the bytes of its full response. */
const readGoal = (bytes: number): number => 200 + bytes / 10_000;
const GOALS = { create: 1_200, estimate: 2_500 } as const;

const ofJob = ({ batchId, jobId }: CreatedBatch, what: string): Call => ({
  path: `/v1/batch/${batchId}/jobs/${jobId}/${what}`,
  resource: `/v1/batch/{batch_id}/jobs/{job_id}/${what}`,
  parameters: { batch_id: batchId, job_id: jobId },
});

type Read = readonly [name: string, Service[keyof Service] & Caller, (batch: CreatedBatch) => Call];
type Caller = (call?: Call) => Promise<Answer>;

function readsOf({ service }: CreatedBatch): readonly Read[] {
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
    ['result', service.result, (batch) => ofJob(batch, 'result')],
    ['result item', service.resultItem, (batch) => ofJob(batch, 'item')],
    ['result preview', service.resultPreview, (batch) => ofJob(batch, 'preview')],
    ['usage', service.usage, () => ({})],
    ['limits', service.limits, () => ({})],
    ['models', service.models, () => ({})],
  ];
}

const FROM_RASTERS = ['results, STAC', 'result item', 'result preview'];

/** CPU time of creation, estimate and each GET with a body, in the function alone. */
export async function measuredOperations(body: HostileBody): Promise<readonly Measured[]> {
  const call: Call = { body: gzipSync(body.text), headers: { 'Content-Encoding': 'gzip' } };
  const created = await measuredRounds(() => inMemoryService().create(call));
  const estimated = await measuredRounds(() =>
    inMemoryService({ cpuClock: processCpu }).estimate(call),
  );
  const found: Measured[] = [
    { operation: 'create', body, goalMs: GOALS.create, ...created },
    { operation: 'estimate', body, goalMs: GOALS.estimate, ...estimated },
  ];
  if (created.status !== 202) return found;
  const batch = await completedBatch(call);
  for (const [operation, read, callOf] of readsOf(batch)) {
    const call = callOf(batch);
    const full = await measuredRounds(() => read(call));
    const goalMs = FROM_RASTERS.includes(operation) ? null : readGoal(full.responseBytes);
    found.push({ operation, body, goalMs, ...full });
    if (full.etag === null) continue;
    const headers = { 'If-None-Match': full.etag };
    const unchanged = await measuredRounds(() => read({ ...call, headers }));
    found.push({ operation: `${operation}, unchanged`, body, goalMs, ...unchanged });
  }
  return found;
}

async function measuredRounds(request: () => Promise<Answer>) {
  const times: number[] = [];
  let answer: Answer | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(
      await cpuMs(async () => {
        answer = await request();
      }),
    );
  }
  return { ...figuresOf(answer), cpuMs: median(times) };
}

function figuresOf(answer: Answer | null) {
  const etag = answer?.headers['ETag'];
  return {
    status: answer?.status ?? 0,
    responseBytes: Buffer.byteLength(answer?.text ?? ''),
    etag: typeof etag === 'string' ? etag : null,
  };
}

const BATCHES_OF_PAGE = LIMITS.batchesPage.default;

async function completedBatch(call: Call): Promise<CreatedBatch> {
  const service = inMemoryService();
  const { body } = await service.create(call);
  const { batch_id: batchId, job_ids } = creationResponse.parse(body);
  const jobIds = Object.values(job_ids);
  for (const [index, jobId] of jobIds.entries()) {
    service.jobs.set(`${batchId}/${index}`, { ...completedJob(index), summary: SUMMARY });
    service.rasters.set(`${batchId}/${jobId}`, COG);
  }
  const last = `${batchId}/${jobIds.length - 1}`;
  service.plans.set(last, planOf(LIMITS.patchBatchesPerJob));
  for (let idx = 0; idx < LIMITS.patchBatchesPerJob; idx += 1) {
    service.patchBatches.set(`${last}/${idx}`, completedPatchBatch(idx));
  }
  fillPage(service, batchId);
  return { service, batchId, jobId: jobIds.at(-1) ?? '' };
}

/** More batches of the same body, as many as a page lists. */
function fillPage(service: Service, batchId: string): void {
  const [stored, request] = [service.batches.get(batchId), service.requests.get(batchId)];
  if (stored === undefined || request === undefined) return;
  for (let more = 1; more < BATCHES_OF_PAGE; more += 1) {
    const copy = newBatchId(NOW);
    service.batches.set(copy, { ...stored, batch: { ...stored.batch, batchId: copy } });
    service.requests.set(copy, request);
  }
}
