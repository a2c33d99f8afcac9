import { LIMITS } from '../../lambdas/domain/limits.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { QUOTAS } from './quotas.ts';
import {
  computePredictionSeconds,
  countPerJob,
  type JobKind,
  MAP_SECONDS,
  WORKLOADS,
} from './work.ts';

/** The number of jobs per day that use up one resource in the busiest hour. */
export interface Ceiling {
  readonly what: string;
  readonly jobsADay: number;
  readonly by: 'AWS' | 'configuration';
}

const DAY = 86_400;
/** The busiest hour of a day has three times as many jobs as the mean hour. */
const PEAK = 3;
const { throttling, webhooks, runningBatches, concurrency, table } = readStageConfig('prod');

/** The number of writes of a batch to items that all batches share: slots, the queue and the tenant served last. */
const DISPATCH_WRITES = 6;

/** The duration of a delivery, as in the cost model. */
const DELIVERY_SECONDS = 0.5;
/** The time of a job's functions other than prediction, such as planning and assembly. */
const OTHER_SECONDS = 0.35;

export function listCeilings(kind: JobKind, jobsPerBatch: number): readonly Ceiling[] {
  const working = countFunctionSeconds(kind);
  const batchSeconds = countBatchSeconds(kind, jobsPerBatch);
  const isOnly = jobsPerBatch === 1;
  const countUnit = (unit: Parameters<typeof countPerJob>[2]) =>
    countPerJob(kind, jobsPerBatch, unit);
  const toDaily = (perSecond: number) => (perSecond * DAY) / PEAK;
  const rows: readonly (readonly [string, number, Ceiling['by']])[] = [
    ['Lambda concurrency', toDaily(QUOTAS.functions.value / working), 'AWS'],
    ['state transitions', toDaily(QUOTAS.transitions.value / countUnit('stateTransitions')), 'AWS'],
    ['execution starts', toDaily(QUOTAS.starts.value * jobsPerBatch), 'AWS'],
    // A batch of one job has no map.
    [
      'open map runs',
      isOnly ? Infinity : toDaily((QUOTAS.openMapRuns.value * jobsPerBatch) / batchSeconds),
      'AWS',
    ],
    ['`table.writeUnits`', toDaily(table.writeUnits / countUnit('writeUnits')), 'configuration'],
    ['`table.readUnits`', toDaily(table.readUnits / countUnit('readUnits')), 'configuration'],
    [
      'writes to a new table',
      toDaily(QUOTAS.newTableWrites.value / countUnit('writeUnits')),
      'AWS',
    ],
    ['writes to a table', toDaily(QUOTAS.tableWrites.value / countUnit('writeUnits')), 'AWS'],
    [
      'writes to the partition shared by all batches',
      toDaily((QUOTAS.partitionWrites.value * jobsPerBatch) / DISPATCH_WRITES),
      'AWS',
    ],
    [
      'object writes per prefix',
      toDaily(QUOTAS.objectWrites.value / countUnit('objectWrites')),
      'AWS',
    ],
    [
      '`runningBatches.inAll`',
      toDaily((runningBatches.inAll * jobsPerBatch) / batchSeconds),
      'configuration',
    ],
    [
      '`throttling.creations`',
      toDaily(throttling.creations.requestsPerSecond * jobsPerBatch),
      'configuration',
    ],
    [
      '`webhooks.concurrency`',
      toDaily((webhooks.concurrency / DELIVERY_SECONDS) * jobsPerBatch),
      'configuration',
    ],
  ];
  return rows
    .map(([what, jobsADay, by]) => ({ what, jobsADay, by }))
    .sort((a, b) => a.jobsADay - b.jobsADay);
}

function countFunctionSeconds(kind: JobKind): number {
  return kind.patchBatches * computePredictionSeconds(kind) + OTHER_SECONDS;
}

/** Returns the seconds from the start of a batch in `prod` to its end, if nothing is throttled. */
function countBatchSeconds(kind: JobKind, jobs: number): number {
  const rounds = Math.ceil(kind.patchBatches / concurrency.patchBatches);
  const perRound = rounds * computePredictionSeconds(kind) + OTHER_SECONDS;
  return Math.ceil(jobs / concurrency.jobs) * perRound + (jobs === 1 ? 0 : MAP_SECONDS);
}

/** Returns the units per second that `prod` uses while it runs as many batches as it may. */
export function countTableUnits(
  kind: JobKind,
  jobsPerBatch: number,
  unit: 'readUnits' | 'writeUnits',
): number {
  const jobsPerSecond =
    (runningBatches.inAll * jobsPerBatch) / countBatchSeconds(kind, jobsPerBatch);
  return jobsPerSecond * countPerJob(kind, jobsPerBatch, unit);
}

/** The read units of the status of a running batch with 1,000 jobs, whose items have 1.1 kB each. */
export const STATUS_READ_UNITS = 300;

/**
 * Returns how many tenants of `prod` can read the status of a running batch with 1,000 jobs as often as their rate
 * allows, if the running batches use twice their usual read units.
 */
export function countPollingTenants(): number {
  const ofBatches = Math.max(
    ...WORKLOADS.map(([kind, jobs]) => countTableUnits(kind, jobs, 'readUnits')),
  );
  const ofTenant = (LIMITS.requestsPerMinute / 60) * STATUS_READ_UNITS;
  return Math.floor((table.readUnits - 2 * ofBatches) / ofTenant);
}

const MILLION = 1_000_000;
const JOBS_PER_BATCH = 1_000;

/** Returns the seconds that a million jobs of one tenant take in `prod` by each limit alone. */
export function countMillionSeconds(kind: JobKind): ReadonlyMap<string, number> {
  const running = (MILLION / JOBS_PER_BATCH) * countBatchSeconds(kind, JOBS_PER_BATCH);
  const transitions = MILLION * countPerJob(kind, JOBS_PER_BATCH, 'stateTransitions');
  return new Map([
    ['the daily quota of jobs', (MILLION / LIMITS.jobsPerDay) * DAY],
    ['`runningBatches.perTenant`', running / runningBatches.perTenant],
    ['`runningBatches.inAll`', running / runningBatches.inAll],
    ['Lambda concurrency', (MILLION * countFunctionSeconds(kind)) / QUOTAS.functions.value],
    ['state transitions', transitions / QUOTAS.transitions.value],
  ]);
}
