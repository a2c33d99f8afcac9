import { WORK_DAYS } from '../limits.ts';
import type { JobWork } from './job-work.ts';

export interface BatchWork {
  /** An element is null if its job ends at planning. */
  readonly jobs: readonly (JobWork | null)[];
  /** Whether the batch has a webhook. Only the first attempt is counted. */
  readonly webhook: boolean;
  readonly retentionDays: number;
}

/** In MB. */
export interface FunctionMemory {
  readonly plan: number;
  readonly predict: number;
  readonly assemble: number;
  readonly deliver: number;
}

/** The memory of steps without a configured size (`lib/service-function.ts`). */
const DEFAULT_MEMORY_MB = 512;

/**
 * Durations for which Lambda bills a warm function, apart from prediction, rounded up from measurements on the local
 * stage.
 */
const SECONDS = {
  create: 0.1,
  plan: 0.1,
  predict: 0.05,
  patchBatch: 0.15,
  noRaster: 0.02,
  assemble: 0.2,
  finish: 0.05,
  deliver: 0.5,
};

/** The START and REPORT lines and one log line of the function. */
const LOG_BYTES_PER_CALL = 1_200;
const LOG_BYTES_PER_LINE = 400;

/** The requests and units in this file were counted on the local stage. */
const PER_BATCH = {
  apiRequests: 1,
  readUnits: 16,
  writeUnits: 21,
  objectWrites: 2,
};
/** Transitions to the Choice state and the last step; with several jobs, also to the list of jobs and the map. */
const BATCH_STATES = { ofOneJob: 2, ofSeveral: 4 };
/**
 * The child execution of a job, or the state that encloses a batch's only job, is one transition. Each of the job's
 * three states is another: https://docs.aws.amazon.com/step-functions/latest/dg/concepts-transitions.html
 */
const PER_JOB = { stateTransitions: 4, readUnits: 3, writeUnits: 2 };
const PER_RASTER = {
  readUnits: 1,
  writeUnits: 2,
  // CreateMultipartUpload, UploadPart, CompleteMultipartUpload and the prediction errors, which the last step of the
  // batch reads.
  objectWrites: 4,
  objectReads: 1,
};
const PER_SHARE = { stateTransitions: 1 };
const PER_PATCH_BATCH = {
  readUnits: 2.1,
  writeUnits: 8,
  objectReads: 5,
  // An index that is too long for the block's metadata takes a second object. It is not counted, because only blocks of
  // megabytes have one.
  objectWrites: 1,
};
const PER_DELIVERY = {
  readUnits: 4,
  writeUnits: 6,
  objectWrites: 1,
  objectReads: 3,
  // A message is sent, received and deleted.
  messages: 3,
  keyUses: 2,
};

const DAYS_PER_MONTH = 30;

/**
 * Estimates a batch's AWS usage: the creation, jobs, webhook and storage, without the client's polling, the event for
 * the operator's bus and copies to the client's bucket.
 */
export function usageOfBatch(work: BatchWork, memory: FunctionMemory): Usage {
  const planned = work.jobs.filter((job) => job !== null);
  const rasters = planned.filter(({ rasterBytes }) => rasterBytes !== null).length;
  const jobs = work.jobs.length;
  const deliveries = work.webhook ? 1 : 0;
  return addUsages([
    [1, PER_BATCH],
    [jobs === 1 ? BATCH_STATES.ofOneJob : BATCH_STATES.ofSeveral, { stateTransitions: 1 }],
    [jobs, PER_JOB],
    [rasters, PER_RASTER],
    [deliveries, PER_DELIVERY],
    [1, armCall(SECONDS.create, memory.plan)],
    [1, armCall(SECONDS.finish, DEFAULT_MEMORY_MB)],
    [jobs, armCall(SECONDS.plan, memory.plan)],
    // Every job invokes the assembly step, even a job without a raster.
    [jobs, armCall(SECONDS.noRaster, memory.assemble)],
    [rasters, { armGbSeconds: gbSeconds(SECONDS.assemble - SECONDS.noRaster, memory.assemble) }],
    [deliveries, armCall(SECONDS.deliver, memory.deliver)],
    ...planned.flatMap((job) => predictionUsage(job, memory.predict)),
    [1, { objectGbMonths: storedGbMonths(planned, work.retentionDays) }],
  ]);
}

type Part = readonly [times: number, part: Partial<Usage>];

function predictionUsage(
  { patchBatches, shares, predictionSeconds }: JobWork,
  memoryMb: number,
): Part[] {
  const seconds = shares * SECONDS.predict + patchBatches * SECONDS.patchBatch + predictionSeconds;
  return [
    [patchBatches, PER_PATCH_BATCH],
    [shares, { ...PER_SHARE, ...functionCall() }],
    [Math.max(0, patchBatches - shares), { logBytes: LOG_BYTES_PER_LINE }],
    [1, { x86GbSeconds: gbSeconds(seconds, memoryMb) }],
  ];
}

function armCall(seconds: number, memoryMb: number): Partial<Usage> {
  return { ...functionCall(), armGbSeconds: gbSeconds(seconds, memoryMb) };
}

function functionCall(): Partial<Usage> {
  return { functionCalls: 1, logBytes: LOG_BYTES_PER_CALL };
}

function gbSeconds(seconds: number, memoryMb: number): number {
  return (seconds * memoryMb) / 1_024;
}

/** Results are stored for two days longer than they are readable, and blocks for `WORK_DAYS`. */
function storedGbMonths(jobs: readonly JobWork[], retentionDays: number): number {
  const bytes = jobs.reduce((sum, { rasterBytes }) => sum + (rasterBytes ?? 0), 0);
  return (bytes / 1e9) * ((retentionDays + 2 + WORK_DAYS) / DAYS_PER_MONTH);
}

/** In the units by which AWS charges. */
export interface Usage {
  readonly apiRequests: number;
  readonly functionCalls: number;
  readonly armGbSeconds: number;
  readonly x86GbSeconds: number;
  readonly stateTransitions: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly objectWrites: number;
  readonly objectReads: number;
  readonly messages: number;
  readonly keyUses: number;
  readonly logBytes: number;
  readonly objectGbMonths: number;
}

const NOTHING: Usage = {
  apiRequests: 0,
  functionCalls: 0,
  armGbSeconds: 0,
  x86GbSeconds: 0,
  stateTransitions: 0,
  readUnits: 0,
  writeUnits: 0,
  objectWrites: 0,
  objectReads: 0,
  messages: 0,
  keyUses: 0,
  logBytes: 0,
  objectGbMonths: 0,
};

const UNITS = Object.keys(NOTHING) as readonly (keyof Usage)[];

function addUsages(parts: readonly (readonly [times: number, part: Partial<Usage>])[]): Usage {
  const total: Record<keyof Usage, number> = { ...NOTHING };
  for (const [times, part] of parts) {
    for (const unit of UNITS) total[unit] += times * (part[unit] ?? 0);
  }
  return total;
}
