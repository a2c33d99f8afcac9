import { isFinal } from '../../../lambdas/domain/batch/batch.ts';
import type { FaultPlan } from './faults.ts';
import type { Scenario } from './scenarios.ts';
import { COPIED_CREATION, CREATION, CREATION_OF_ONE } from './step-input.ts';
import type { StepName } from './steps.ts';
import type { Storage } from './storage.ts';
import type { Machine } from './synthesised-machine.ts';
import { VirtualTime } from './time.ts';
import { World } from './world.ts';

/** A client sends its request until it succeeds, at most this many times. */
const ATTEMPTS = 40;
const BETWEEN_ATTEMPTS_SECONDS = 30;

/**
 * The most half-minutes to simulate, more than the retries, restarts and deliveries of any scenario take in total.
 */
const MAX_CYCLES = 800;

export type OpenStorage = (time: VirtualTime) => Storage | Promise<Storage>;

/** Creates the scenario's batches and advances the world until nothing is left to do. */
export async function simulate(
  machine: Machine,
  open: OpenStorage,
  scenario: Scenario,
  plan?: FaultPlan,
): Promise<World> {
  const time = new VirtualTime();
  const world = new World(machine, time, await open(time), scenario, plan);
  for (let batch = 0; batch < (scenario.batches ?? 1); batch++) await post(world, batch, scenario);
  if (scenario.cancelsLast === true) {
    const [last = ''] = [...world.storage.created].slice(-1);
    await world.cancel(last);
  }
  await runUntilIdle(world);
  if (scenario.afterwards !== undefined) await callOnEach(world, scenario.afterwards);
  await world.resumeSuspended();
  await runUntilIdle(world);
  if (plan?.fault === 'repeated at the end') {
    const invocations = world.invocations.filter(({ step }) => step === plan.step);
    for (const invocation of invocations) await world.repeat(invocation);
    await runUntilIdle(world);
  }
  return world;
}

async function post(world: World, batch: number, { onlyJob, copied }: Scenario): Promise<void> {
  const idempotency = { key: `field-${batch}`, digest: 'digest' };
  const whole = copied === true ? COPIED_CREATION : CREATION;
  const creation = onlyJob === true ? CREATION_OF_ONE : whole;
  const input = { tenant: world.tenant, idempotency, creation };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      await world.invoke('api/functions/creations', input);
      return;
    } catch {
      await world.advance(BETWEEN_ATTEMPTS_SECONDS);
    }
  }
  throw new Error('no batch could be created');
}

/** Calls an operation on each batch until it succeeds, at most {@link ATTEMPTS} times. */
async function callOnEach(world: World, step: StepName): Promise<void> {
  for (const batch_id of [...world.storage.created]) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        await world.invoke(step, { tenant: world.tenant, batch_id });
        break;
      } catch {
        await world.advance(BETWEEN_ATTEMPTS_SECONDS);
      }
    }
  }
  await runUntilIdle(world);
}

async function runUntilIdle(world: World): Promise<void> {
  for (let cycle = 0; cycle < MAX_CYCLES; cycle++) {
    const execution = world.executions.waiting();
    if (execution !== undefined) await world.execute(execution);
    else if (await isIdle(world)) return;
    else await world.advance(30);
  }
  throw new Error('the world never became idle, so something was lost');
}

async function isIdle({ storage, queue }: World): Promise<boolean> {
  if (queue.nextAt() !== null) return false;
  for (const batchId of storage.created) {
    const batch = await storage.batches.readBatch(batchId);
    if (batch === null) continue;
    const event = await storage.outbox.read(batchId, 'batch.completed');
    if (!isFinal(batch) || event?.state === 'due') return false;
    if ((await storage.busOutbox.readUnpublished(batchId)) !== null) return false;
  }
  return true;
}
