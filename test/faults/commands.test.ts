import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inMemoryStorage } from '../support/simulation/in-memory-storage.ts';
import { SCENARIOS } from '../support/simulation/scenarios.ts';
import type { StepInput } from '../support/simulation/step-input.ts';
import { RUN_ENDED, type StepName } from '../support/simulation/steps.ts';
import { VirtualTime } from '../support/simulation/time.ts';
import { World } from '../support/simulation/world.ts';

/**
 * The expected state of a batch with four jobs. The good job has three patch-batches. Planning fails the
 * invalid job. The patch-batches of the job without a covariate cannot be predicted. The request of the
 * unreadable job cannot be read, and that job is never planned.
 */
interface Model {
  /** Whether the planning of a job has begun. */
  started: boolean;
  final: boolean;
  /** After a cancellation, no job is planned, and jobs fail only when the batch ends. */
  cancelled: boolean;
  /** States of jobs by index; a pending job is absent. */
  readonly jobs: Map<number, 'processing' | 'final'>;
  readonly done: Set<number>;
  readonly failed: Set<number>;
  assembled: boolean;
  delivered: boolean;
  retried: boolean;
}

interface Real {
  readonly world: World;
  readonly batchId: string;
}

const GOOD = 0;
const INVALID = 1;
const WITHOUT_COVARIATE = 2;
const UNREADABLE = 3;
const PATCH_BATCHES = 3;

const isFinal = (model: Model, job: number) => model.jobs.get(job) === 'final';
const runs = (model: Model, job: number) => model.jobs.get(job) === 'processing';

/** A step that Step Functions, SQS or the schedule may invoke at any time, in any order. */
class Step implements fc.AsyncCommand<Model, Real> {
  private readonly name: StepName;
  private readonly input: Partial<StepInput>;
  private readonly expected: (model: Model) => void;
  private readonly laterMs: number;

  constructor(
    name: StepName,
    input: Partial<StepInput>,
    expected: (model: Model) => void,
    laterMs = 0,
  ) {
    this.laterMs = laterMs;
    this.name = name;
    this.input = input;
    this.expected = expected;
  }

  check = () => true;

  async run(model: Model, { world, batchId }: Real): Promise<void> {
    world.time.advance(this.laterMs);
    const batch = { batch_id: batchId, event: 'batch.completed' as const };
    const event = await world.storage.outbox.read(batchId, 'batch.completed');
    const input = {
      tenant: world.tenant,
      error: null,
      message: { ...batch, attempt: (event?.attempts ?? 0) + 1 },
      receivedBefore: false,
      run: { batchId, kind: 'batch' as const, number: 0 },
      ...this.input,
      batch_id: batchId,
    };
    // The caller would retry a step that throws. The model expects what the step did before its error.
    await world.invoke(this.name, input).catch(() => undefined);
    this.expected(model);
    await expectAgreement(model, world, batchId);
  }

  toString = () => `${this.name} ${JSON.stringify(this.input)}`;
}

const plan = (job_index: number) =>
  new Step('pipeline/plan-job', { job_index }, (model) => {
    if (model.final || model.cancelled) return;
    model.started = true;
    if (model.jobs.has(job_index) || job_index === UNREADABLE) return;
    model.jobs.set(job_index, job_index === INVALID ? 'final' : 'processing');
  });

const predict = (job_index: number, patch_batch_idx: number) =>
  new Step(
    'pipeline/predict-patch-batch',
    { job_index, patch_batches: [patch_batch_idx] },
    (model) => {
      if (job_index !== GOOD || !runs(model, GOOD) || model.failed.has(patch_batch_idx)) return;
      model.done.add(patch_batch_idx);
    },
  );

const fail = (job_index: number, patch_batch_idx: number) =>
  new Step(
    'pipeline/fail-patch-batch',
    { job_index, patch_batches: [patch_batch_idx], error: { Error: 'CovariateUnavailable' } },
    (model) => {
      if (job_index !== GOOD || !runs(model, GOOD) || model.done.has(patch_batch_idx)) return;
      model.failed.add(patch_batch_idx);
    },
  );

const assemble = (job_index: number) =>
  new Step('pipeline/assemble-raster', { job_index }, (model) => {
    if (!runs(model, job_index)) return;
    const isPredicted = job_index === GOOD && model.done.size === PATCH_BATCHES;
    if (isPredicted) model.assembled = true;
    else if (model.cancelled) return;
    model.jobs.set(job_index, 'final');
  });

const finishJob = (job_index: number, error: StepInput['error']) =>
  new Step('pipeline/finish-job', { job_index, error }, (model) => {
    if (model.cancelled) return;
    model.jobs.set(job_index, 'final');
  });

const finishBatch = new Step('pipeline/finish-batch', {}, finishModel);

const cancel = new Step('api/functions/batches: cancel', {}, (model) => {
  model.cancelled = true;
});

/** The execution counts as running unless it was stopped, so a batch with unfinished jobs is not restarted. */
const runEnded = new Step(RUN_ENDED, {}, (model) => {
  if (model.cancelled || isDone(model)) finishModel(model);
});

/** After this time the reconciler looks at the batch again; the batch's deadline is later. */
const LATER_MS = 600_000;

const reconcile = new Step(
  'reconcile/reconcile',
  {},
  (model) => {
    // The execution counts as running, so the batch is not restarted; but it is finished if it has no unfinished jobs.
    if (model.cancelled || isDone(model)) finishModel(model);
  },
  LATER_MS,
);

const deliver = new Step('webhooks/deliver-webhook', {}, (model) => {
  if (model.final) model.delivered = true;
});

/** A final batch always has a failed job to retry, namely the invalid one. */
const retry = new Step('api/functions/creations: retry', {}, (model) => {
  model.retried = model.retried || model.final;
});

/** The reconciler does not finish a pending batch, even if all its jobs have failed. */
function isDone(model: Model): boolean {
  if (!model.started) return false;
  const jobs = Array.from({ length: UNREADABLE + 1 }, (_, index) => index);
  return jobs.every((index) => isFinal(model, index));
}

function finishModel(model: Model): void {
  for (let job = 0; job <= UNREADABLE; job++) model.jobs.set(job, 'final');
  model.final = true;
}

async function expectAgreement(model: Model, world: World, batchId: string): Promise<void> {
  expect(world.observer.violations).toEqual([]);
  const { storage, results, receiver } = world;
  const batch = await storage.batches.readBatch(batchId);
  const jobs = await storage.jobs.list(batchId);
  const statusOf = (index: number) => jobs.find((job) => job.job_index === index)?.status;
  const isEnded = batch?.status !== 'pending' && batch?.status !== 'processing';
  expect(isEnded).toBe(model.final);
  for (let job = 0; job <= UNREADABLE; job++) {
    const status = statusOf(job);
    if (isFinal(model, job)) expect(['completed', 'failed']).toContain(status);
    else expect(status).toBe(model.jobs.get(job));
  }
  const good = jobs.find(({ job_index }) => job_index === GOOD);
  expect(good?.completed_patch_batches ?? 0).toBe(model.done.size);
  if (statusOf(GOOD) === 'completed') expect(model.assembled).toBe(true);
  for (const job of [INVALID, WITHOUT_COVARIATE, UNREADABLE]) {
    expect(statusOf(job)).not.toBe('completed');
  }
  expect(results.versions.size > 0).toBe(model.assembled);
  expect(receiver.received.length > 0).toBe(model.delivered);
  expect(storage.finishes.get(batchId) ?? 0).toBe(model.final ? 1 : 0);
  expect(storage.created.size, 'the batch and at most one retry').toBe(model.retried ? 2 : 1);
}

const job = fc.constantFrom(GOOD, INVALID, WITHOUT_COVARIATE, UNREADABLE);
const often = fc.oneof({ weight: 3, arbitrary: fc.constant(GOOD) }, { weight: 1, arbitrary: job });
const planned = fc.constantFrom(GOOD, WITHOUT_COVARIATE);
const failing = fc.constantFrom(GOOD, WITHOUT_COVARIATE, WITHOUT_COVARIATE, WITHOUT_COVARIATE);
const patchBatch = fc.integer({ min: 0, max: PATCH_BATCHES - 1 });
const CRASH = { Error: 'Lambda.Unknown', Cause: 'signal: killed' };

/** Commands that end a batch are rare, because most commands after its end change nothing. */
const ending = fc.constantFrom(finishBatch, cancel, runEnded, reconcile, reconcile);
const predicting = patchBatch.map((idx) => predict(GOOD, idx));

const commands = fc.commands(
  [
    often.map(plan),
    often.map(plan),
    fc.tuple(planned, patchBatch).map(([index, idx]) => predict(index, idx)),
    ...Array.from({ length: 8 }, () => predicting),
    fc.tuple(failing, patchBatch).map(([index, idx]) => fail(index, idx)),
    fc.constantFrom(GOOD, GOOD, WITHOUT_COVARIATE).map(assemble),
    fc
      .tuple(job, fc.constantFrom(null, null, CRASH))
      .map(([index, error]) => finishJob(index, error)),
    ending,
    fc.constantFrom(deliver, retry),
  ],
  { maxCommands: 60, size: 'max' },
);

const [plain] = SCENARIOS;
if (plain === undefined) throw new Error('no scenario without faults');

/** No execution runs here: commands invoke the steps instead. */
const machine = {
  tasks: new Set<string>(),
  timeoutSeconds: () => 30,
  run: () => Promise.reject(new Error('not used')),
};

async function createWorld(): Promise<Real> {
  const time = new VirtualTime();
  const storage = inMemoryStorage(time.clock);
  const world = new World(machine, time, storage, plain as (typeof SCENARIOS)[0]);
  const idempotency = { key: 'field', digest: 'same' };
  await world.invoke('api/functions/creations', { tenant: world.tenant, idempotency });
  const [batchId = ''] = world.storage.created;
  return { world, batchId };
}

describe('random sequences of steps on a batch', () => {
  const reached = { assembled: 0, 'completed by its steps': 0, delivered: 0, retried: 0 };

  it('lead to the states that a model predicts, and no state regresses', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        const real = await createWorld();
        const model: Model = {
          started: false,
          final: false,
          cancelled: false,
          jobs: new Map(),
          done: new Set(),
          failed: new Set(),
          assembled: false,
          delivered: false,
          retried: false,
        };
        await fc.asyncModelRun(() => ({ model, real }), steps);
        const good = await real.world.storage.jobs.read(real.batchId, GOOD);
        if (model.assembled) reached.assembled += 1;
        if (good?.status === 'completed') reached['completed by its steps'] += 1;
        if (model.delivered) reached.delivered += 1;
        if (model.retried) reached.retried += 1;
      }),
      { numRuns: 150 },
    );
  }, 120_000);

  it('include some that write a raster, complete the job, deliver the webhook and retry the batch', () => {
    for (const [what, runs] of Object.entries(reached)) expect(runs, what).toBeGreaterThan(0);
  });
});
