import { stageConfig } from '../../lib/config/each-stage.ts';
import { QUOTAS } from './quotas.ts';
import { PEAK, PROD } from './scenarios.ts';
import { type JobKind, MAP_SECONDS, perJob, secondsOf } from './work.ts';

/** How many jobs a day until something is used up in the busiest hour. */
export interface Ceiling {
  readonly what: string;
  readonly jobsADay: number;
  /** Whether AWS sets it; else our configuration does. */
  readonly by: 'AWS' | 'configuration';
}

const DAY = 86_400;
const { throttling, webhooks } = stageConfig('prod');

/** Writes of a batch on the items that all batches share: slots, the line, whose turn it is. */
const DISPATCH_WRITES = 6;

/** A delivery as the cost model computes it. */
const DELIVERY_SECONDS = 0.5;
/** Of a job's functions beside prediction: plan, a look at the plan, assembly. */
const OTHER_SECONDS = 0.35;

/** Of jobs of one kind, so many a batch, spread over the day with a busiest hour. */
export function ceilings(kind: JobKind, jobsPerBatch: number): readonly Ceiling[] {
  const seconds = secondsOf(kind);
  const working = kind.patchBatches * seconds + OTHER_SECONDS;
  const isOnly = jobsPerBatch === 1;
  const of = (unit: Parameters<typeof perJob>[2]) => perJob(kind, jobsPerBatch, unit);
  const rounds = Math.ceil(kind.patchBatches / PROD.patchBatches);
  const batchSeconds =
    Math.ceil(jobsPerBatch / PROD.jobs) * (rounds * seconds + OTHER_SECONDS) +
    (isOnly ? 0 : MAP_SECONDS);
  const daily = (perSecond: number) => (perSecond * DAY) / PEAK;
  const rows: readonly (readonly [string, number, Ceiling['by']])[] = [
    ['Lambda concurrency', daily(QUOTAS.functions.value / working), 'AWS'],
    ['state transitions', daily(QUOTAS.transitions.value / of('stateTransitions')), 'AWS'],
    ['execution starts', daily(QUOTAS.starts.value * jobsPerBatch), 'AWS'],
    // A batch of one job has no map.
    [
      'open map runs',
      isOnly ? Infinity : daily((QUOTAS.openMapRuns.value * jobsPerBatch) / batchSeconds),
      'AWS',
    ],
    ['writes to a new table', daily(QUOTAS.newTableWrites.value / of('writeUnits')), 'AWS'],
    ['writes to a table', daily(QUOTAS.tableWrites.value / of('writeUnits')), 'AWS'],
    [
      'writes to the partition shared by all batches',
      daily((QUOTAS.partitionWrites.value * jobsPerBatch) / DISPATCH_WRITES),
      'AWS',
    ],
    ['object writes per prefix', daily(QUOTAS.objectWrites.value / of('objectWrites')), 'AWS'],
    ['`runningBatches.inAll`', daily((PROD.inAll * jobsPerBatch) / batchSeconds), 'configuration'],
    [
      '`throttling.creations`',
      daily(throttling.creations.requestsPerSecond * jobsPerBatch),
      'configuration',
    ],
    [
      '`webhooks.concurrency`',
      daily((webhooks.concurrency / DELIVERY_SECONDS) * jobsPerBatch),
      'configuration',
    ],
  ];
  return rows
    .map(([what, jobsADay, by]) => ({ what, jobsADay, by }))
    .sort((a, b) => a.jobsADay - b.jobsADay);
}
