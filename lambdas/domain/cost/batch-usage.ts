import { sharesOf } from '../patch-batch/shares.ts';
import { sumOf, type Usage } from './usage.ts';

/** What a batch's plan says of the work ahead. */
export interface BatchWork {
  /** Null for a job that ends at its plan. */
  readonly jobs: readonly (JobWork | null)[];
  /** Whether the batch has a webhook; its first attempt is reckoned, which is nearly always the last. */
  readonly webhook: boolean;
  /** Days that results are kept. */
  readonly retentionDays: number;
}

/** One job, as it was planned. */
export interface JobWork {
  /** Cells of each patch-batch. */
  readonly pointCounts: readonly number[];
  /** Of its model: points one vCPU predicts in a second. */
  readonly pointsPerSecond: number;
  readonly bands: number;
}

/** Memory of the functions that a batch calls, in MB. */
export interface FunctionMemory {
  readonly api: number;
  readonly plan: number;
  readonly predict: number;
  readonly assemble: number;
  readonly deliver: number;
}

/** Of a step without a figure of its own (`lib/service-function.ts`). */
const DEFAULT_MEMORY_MB = 512;

/**
 * Lambda bills milliseconds; these are a warm function's own work beside prediction, rounded up from
 * what the local stage measures.
 */
const SECONDS = {
  create: 0.1,
  plan: 0.1,
  predict: 0.05,
  patchBatch: 0.15,
  look: 0.02,
  assemble: 0.2,
  finish: 0.05,
  deliver: 0.5,
};

/** START, REPORT and one line of a function's own, in Lambda's JSON format. */
const LOG_BYTES_A_CALL = 1_200;
const LOG_BYTES_A_LINE = 400;

/**
 * Requests and units as counted on the local stage; `test/e2e/cost.test.ts` counts again and holds
 * them to within a tenth.
 */
const A_BATCH = {
  apiRequests: 1,
  stateTransitions: 3,
  readUnits: 16,
  writeUnits: 21,
  objectWrites: 2,
};
/**
 * A job's child execution is a transition of the map that starts it, and so is each state in it:
 * https://docs.aws.amazon.com/step-functions/latest/dg/concepts-transitions.html
 */
const A_JOB = { stateTransitions: 4, readUnits: 3, writeUnits: 2, objectReads: 2 };
const A_RASTER = {
  readUnits: 1,
  writeUnits: 2,
  objectReads: 2,
  // An upload is begun, sent and completed.
  objectWrites: 3,
};
const A_SHARE = { stateTransitions: 1 };
const A_PATCH_BATCH = {
  readUnits: 2.1,
  writeUnits: 8,
  objectReads: 5,
  objectWrites: 2,
};
const A_DELIVERY = {
  readUnits: 4,
  writeUnits: 6,
  objectWrites: 1,
  objectReads: 3,
  // Sent, received, deleted.
  messages: 3,
  keyUses: 2,
};

/** Float32, and a third more for the overviews (1/4 + 1/16 + …); DEFLATE saves about a third. */
const BYTES_A_VALUE = (4 * 4) / 3 / 1.5;
const BLOCK_DAYS = 7;
const DAYS_A_MONTH = 30;

/** All that a batch makes AWS do, from its creation to its webhook; who polls pays the polls. */
export function usageOfBatch(work: BatchWork, memory: FunctionMemory): Usage {
  const rasters = work.jobs.filter((job) => job !== null);
  const jobs = work.jobs.length;
  const patchBatches = rasters.reduce((sum, { pointCounts }) => sum + pointCounts.length, 0);
  const deliveries = work.webhook ? 1 : 0;
  return sumOf([
    [1, A_BATCH],
    [jobs, A_JOB],
    [rasters.length, A_RASTER],
    [patchBatches, A_PATCH_BATCH],
    [deliveries, A_DELIVERY],
    // Creation and the batch's end.
    [1, armCall(SECONDS.create, memory.api)],
    [1, armCall(SECONDS.finish, DEFAULT_MEMORY_MB)],
    [jobs, armCall(SECONDS.plan, memory.plan)],
    // Of a job without a raster too, which it leaves as it is.
    [jobs, armCall(SECONDS.look, memory.assemble)],
    [rasters.length, { armGbSeconds: gbSeconds(SECONDS.assemble - SECONDS.look, memory.assemble) }],
    [deliveries, armCall(SECONDS.deliver, memory.deliver)],
    ...rasters.flatMap((raster) => predictions(raster, memory.predict)),
    [1, { objectGbMonths: storedGbMonths(rasters, work.retentionDays) }],
  ]);
}

type Part = readonly [times: number, part: Partial<Usage>];

function predictions({ pointCounts, pointsPerSecond }: JobWork, memoryMb: number): Part[] {
  const points = pointCounts.reduce((sum, count) => sum + count, 0);
  const blocks = pointCounts.map((pointCount, idx) => ({ idx, pointCount }));
  const shares = sharesOf(blocks, pointsPerSecond).length;
  const more = pointCounts.length - shares;
  return [
    [shares, { ...A_SHARE, ...called(), x86GbSeconds: gbSeconds(SECONDS.predict, memoryMb) }],
    [more, { logBytes: LOG_BYTES_A_LINE }],
    [pointCounts.length, { x86GbSeconds: gbSeconds(SECONDS.patchBatch, memoryMb) }],
    [1, { x86GbSeconds: gbSeconds(points / pointsPerSecond, memoryMb) }],
  ];
}

function armCall(seconds: number, memoryMb: number): Partial<Usage> {
  return { ...called(), armGbSeconds: gbSeconds(seconds, memoryMb) };
}

function called(): Partial<Usage> {
  return { functionCalls: 1, logBytes: LOG_BYTES_A_CALL };
}

function gbSeconds(seconds: number, memoryMb: number): number {
  return (seconds * memoryMb) / 1_024;
}

/** Results live two days longer than they are readable; blocks a week. */
function storedGbMonths(rasters: readonly JobWork[], retentionDays: number): number {
  const values = rasters.reduce(
    (sum, { pointCounts, bands }) => sum + bands * pointCounts.reduce((points, n) => points + n, 0),
    0,
  );
  return ((values * BYTES_A_VALUE) / 1e9) * ((retentionDays + 2 + BLOCK_DAYS) / DAYS_A_MONTH);
}
