import type { RunningLimits } from '../../lambdas/domain/dispatch/slots.ts';
import { THROTTLED_SHARE, THROTTLED_STEP } from '../../lib/retries.ts';
import { randomFrom } from '../random.ts';
import { queuedBatches } from './batch-queue.ts';
import { deliveriesOf } from './deliveries.ts';
import { type Functions, functionsOf, type Step } from './functions.ts';
import { QUOTAS } from './quotas.ts';
import { onDemandTable, type Table } from './table.ts';
import { type Timeline, timeline } from './timeline.ts';
import { type TokenBucket, tokenBucket } from './token-bucket.ts';
import { type JobKind, MAP_SECONDS, oneMore, secondsOf } from './work.ts';

/** What clients send: so many batches, spread at random over these seconds. */
export interface Demand {
  readonly kind: JobKind;
  readonly batches: number;
  readonly jobsPerBatch: number;
  readonly tenants: number;
  readonly overSeconds: number;
  /** One more tenant, which sends a single batch. */
  readonly newcomer?: { readonly jobs: number; readonly atSeconds: number };
}

/** What the stage is configured to do at a time, in an account that allows so many functions. */
export interface Setting extends RunningLimits {
  readonly accountFunctions: number;
  readonly jobs: number;
  readonly patchBatches: number;
  readonly deliveries: number;
}

/** One moment, as a chart draws it. */
export interface Sample {
  readonly at: number;
  readonly functions: number;
  readonly running: number;
  readonly waiting: number;
}

/** Seconds from the creation of a batch to its start, and to its end. */
export interface Wait {
  readonly waited: number;
  readonly took: number;
}

export interface Outcome {
  /** Of every batch: seconds from its creation to its start, and to its end. */
  readonly waited: readonly number[];
  readonly took: readonly number[];
  /** The same of the newcomer's batch, which is not among the others. */
  readonly newcomer: Wait | null;
  readonly jobs: number;
  readonly failedJobs: number;
  readonly calls: number;
  readonly throttled: number;
  /** Creations that met a full account, and were sent again a second later. */
  readonly rejectedCreations: number;
  readonly peakWrites: number;
  readonly peakFunctions: number;
  readonly latestDelivery: number;
  readonly samples: readonly Sample[];
}

/** Of receivers, those that respond to no attempt. */
const FAILING_RECEIVERS = 0.02;
const SAMPLES = 240;

/** Tenants are counted from 0. */
const NEWCOMER = -1;

interface Created {
  readonly at: number;
  readonly jobs: number;
}

/** The work of a warm function beside prediction, as in the cost model. */
const CREATE_SECONDS = 0.1;
const PLAN: Step = { name: 'plan', seconds: 0.1, throttled: THROTTLED_STEP };
const ASSEMBLE: Step = { name: 'assemble', seconds: 0.25, throttled: THROTTLED_STEP };

/** Everything that the parts of one run share. */
interface World {
  readonly time: Timeline;
  readonly functions: Functions;
  readonly table: Table;
  readonly transitions: TokenBucket;
  readonly setting: Setting;
  readonly demand: Demand;
  readonly job: JobCost;
  failedJobs: number;
}

interface JobCost {
  /** Beside one a patch-batch. */
  readonly states: number;
  /** Of each patch-batch. */
  readonly writes: number;
  readonly predict: Step;
}

function costOf(kind: JobKind): JobCost {
  return {
    states: oneMore(kind, 'stateTransitions') - kind.patchBatches,
    writes: oneMore(kind, 'writeUnits') / kind.patchBatches,
    predict: { name: 'predict', seconds: secondsOf(kind), throttled: THROTTLED_SHARE },
  };
}

/**
 * Batches from their creation to their webhook under an account's quotas: the same seed, the same
 * outcome. Polling is left out: it takes requests, not functions for long.
 */
export function simulate(demand: Demand, setting: Setting, seed = 8): Outcome {
  const random = randomFrom(seed);
  const time = timeline();
  const world: World = {
    time,
    functions: functionsOf(setting.accountFunctions, time, random),
    table: onDemandTable(),
    transitions: tokenBucket(QUOTAS.transitionBurst.value, QUOTAS.transitions.value),
    setting,
    demand,
    job: costOf(demand.kind),
    failedJobs: 0,
  };
  const webhooks = deliveriesOf(
    { atOnce: setting.deliveries, failing: FAILING_RECEIVERS },
    time,
    random,
  );
  const starts = tokenBucket(QUOTAS.startBurst.value, QUOTAS.starts.value);
  const queue = queuedBatches<Created>(setting);
  const [waited, took, samples]: [number[], number[], Sample[]] = [[], [], []];
  let [rejectedCreations, peakFunctions] = [0, 0];
  let newcomer: Wait | null = null;

  function create(tenant: number, jobs: number): void {
    const at = time.now();
    const taken = world.functions.tryCall('create', CREATE_SECONDS, () => {
      queue.enqueue(tenant, { at, jobs });
      dispatch();
    });
    if (taken) return;
    rejectedCreations += 1;
    time.after(1, () => create(tenant, jobs));
  }

  function dispatch(): void {
    for (let next = queue.next(); next !== undefined; next = queue.next()) {
      const { tenant, waiting: created } = next;
      time.after(starts.take(time.now(), 1), () => {
        const started = time.now() - created.at;
        runBatch(world, created.jobs, () => {
          const ended = time.now() - created.at;
          if (tenant === NEWCOMER) newcomer = { waited: started, took: ended };
          else {
            waited.push(started);
            took.push(ended);
          }
          queue.release(tenant);
          webhooks.send();
          dispatch();
        });
      });
    }
  }

  for (let batch = 0; batch < demand.batches; batch++) {
    time.after(random() * demand.overSeconds, () =>
      create(batch % demand.tenants, demand.jobsPerBatch),
    );
  }
  if (demand.newcomer !== undefined) {
    const { jobs, atSeconds } = demand.newcomer;
    time.after(atSeconds, () => create(NEWCOMER, jobs));
  }
  const sample = () => {
    const functions = world.functions.running();
    peakFunctions = Math.max(peakFunctions, functions);
    samples.push({ at: time.now(), functions, running: queue.running(), waiting: queue.waiting() });
    if (took.length < demand.batches) time.after(Math.max(1, demand.overSeconds / SAMPLES), sample);
  };
  sample();
  time.run();

  return {
    waited,
    took,
    newcomer,
    jobs: demand.batches * demand.jobsPerBatch,
    failedJobs: world.failedJobs,
    calls: world.functions.count.calls,
    throttled: world.functions.count.throttled,
    rejectedCreations,
    peakWrites: Math.round(world.table.peak()),
    peakFunctions,
    latestDelivery: webhooks.latest(),
    samples,
  };
}

/** Runs `count` tasks, at most `atOnce` of them concurrently; each calls `done` at its end. */
function runConcurrently(
  count: number,
  atOnce: number,
  run: (done: () => void) => void,
  allDone: () => void,
): void {
  let [begun, ended] = [0, 0];
  const begin = () => {
    if (begun === count) return;
    begun += 1;
    run(() => {
      ended += 1;
      if (ended === count) allDone();
      else begin();
    });
  };
  for (let worker = 0; worker < Math.min(count, atOnce); worker++) begin();
}

function runBatch(world: World, jobs: number, ended: () => void): void {
  const { setting } = world;
  if (jobs === 1) {
    runJob(world, ended);
    return;
  }
  const children = tokenBucket(QUOTAS.children.value, QUOTAS.children.value);
  const begin = (done: () => void) =>
    world.time.after(children.take(world.time.now(), 1), () => runJob(world, done));
  world.time.after(MAP_SECONDS, () => runConcurrently(jobs, setting.jobs, begin, ended));
}

function runJob(world: World, ended: () => void): void {
  const { time, functions, transitions, table, setting, job } = world;
  const { patchBatches } = world.demand.kind;
  let failed = false;

  const fail = (next: () => void) => () => {
    failed = true;
    next();
  };
  const end = () => {
    if (failed) world.failedJobs += 1;
    ended();
  };
  const assemble = () => functions.call(ASSEMBLE, end, fail(end));
  const predict = (done: () => void) =>
    time.after(transitions.take(time.now(), 1), () => {
      const written = () => time.after(table.write(time.now(), job.writes), done);
      functions.call(job.predict, written, fail(done));
    });
  const predictAll = () => runConcurrently(patchBatches, setting.patchBatches, predict, assemble);
  time.after(transitions.take(time.now(), job.states), () =>
    functions.call(PLAN, predictAll, fail(end)),
  );
}
