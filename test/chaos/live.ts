import { isFinal } from '../../lambdas/domain/batch/batch.ts';
import type { Course } from './courses.ts';
import type { FaultPlan } from './faults.ts';
import type { Machine } from './state-machine.ts';
import type { Storage } from './storage.ts';
import { VirtualTime } from './time.ts';
import { World } from './world.ts';

/** A client that wants its batch sends its request until it is answered. */
const TRIES = 40;
const BETWEEN_TRIES_SECONDS = 30;

/** Half-minutes: more than all retries, restarts and deliveries of any course take together. */
const LOOKS = 800;

/** Opens an empty storage for one world. */
export type OpenStorage = (time: VirtualTime) => Storage | Promise<Storage>;

/** Posts a batch and lets the world go on until nothing is left to do. */
export async function live(
  machine: Machine,
  open: OpenStorage,
  course: Course,
  plan?: FaultPlan,
): Promise<World> {
  const time = new VirtualTime();
  const world = new World(machine, time, await open(time), course, plan);
  for (let batch = 0; batch < (course.batches ?? 1); batch++) await post(world, batch);
  await comesToRest(world);
  if (course.afterwards !== undefined) await ask(world, course.afterwards);
  await world.wakeSleepers();
  await comesToRest(world);
  if (plan?.fault === 'again at the end') {
    const runs = world.runs.filter(({ step }) => step === plan.step);
    for (const run of runs) await world.again(run);
    await comesToRest(world);
  }
  return world;
}

async function post(world: World, batch: number): Promise<void> {
  const idempotency = { key: `field-${batch}`, digest: 'of the same request' };
  for (let tried = 0; tried < TRIES; tried++) {
    try {
      await world.invoke('api/functions/create-batch', { tenant: world.tenant, idempotency });
      return;
    } catch {
      await world.passes(BETWEEN_TRIES_SECONDS);
    }
  }
  throw new Error('no batch could be created');
}

/** The client asks for something of each batch, until it is answered. */
async function ask(world: World, step: string): Promise<void> {
  for (const batch_id of [...world.storage.made]) {
    for (let tried = 0; tried < TRIES; tried++) {
      try {
        await world.invoke(step, { tenant: world.tenant, batch_id });
        break;
      } catch {
        await world.passes(BETWEEN_TRIES_SECONDS);
      }
    }
  }
  await comesToRest(world);
}

async function comesToRest(world: World): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const execution = world.executions.waiting();
    if (execution !== undefined) await world.execute(execution);
    else if (await isAtRest(world)) return;
    else await world.passes(30);
  }
  throw new Error('the world never came to rest: something is lost');
}

async function isAtRest({ storage, queue }: World): Promise<boolean> {
  if (queue.nextAt() !== null) return false;
  for (const batchId of storage.made) {
    const batch = await storage.batches.read(batchId);
    if (batch === null) continue;
    const event = await storage.outbox.read(batchId, 'batch.completed');
    if (!isFinal(batch.state) || event?.state === 'due') return false;
  }
  return true;
}
