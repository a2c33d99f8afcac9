import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliver } from '../../../lambdas/domain/delivery/deliver.ts';
import {
  MAX_REDELIVERIES,
  REDELIVERY_INTERVAL_SECONDS,
  redeliver,
} from '../../../lambdas/domain/delivery/redelivery.ts';
import { MAX_ATTEMPTS, RETRY_DELAYS_SECONDS } from '../../../lambdas/domain/delivery/schedule.ts';
import {
  at,
  BATCH,
  BATCH_ID,
  DeliveryWorld,
  EVENT_ID,
  makeArrival,
  respondWith,
} from './delivery-world.ts';

const ask = (world: DeliveryWorld, tenant = 'farm', batchId = BATCH_ID) =>
  redeliver(world.ports, tenant, batchId);
const attemptDelivery = async (world: DeliveryWorld) =>
  deliver(world.ports, await makeArrival(world));

const isDue = async (world: DeliveryWorld) => (await world.event())?.state === 'due';

async function makeWorldAfter(statusCode: number): Promise<DeliveryWorld> {
  const world = await DeliveryWorld.open();
  world.respond = async () => respondWith(statusCode);
  await attemptDelivery(world);
  return world;
}

function bodyOf(world: DeliveryWorld, request: number) {
  return JSON.parse(Buffer.from(world.sent[request]?.body ?? []).toString('utf8'));
}

describe('a redelivery', () => {
  it.each([
    [404, 'permanent'],
    [200, 'acknowledged'],
  ])('is due immediately after a response of %i', async (statusCode, state) => {
    const world = await makeWorldAfter(statusCode);
    expect((await world.event())?.state).toBe(state);
    expect(await ask(world)).toMatchObject({ kind: 'accepted', event: { state: 'due' } });
    expect(world.scheduled.at(-1)).toEqual({
      message: { batch_id: BATCH_ID, event: 'batch.completed', attempt: 2, redelivery: 1 },
      at: world.now,
      tenant: 'farm',
    });
  });

  it('sends a new body with its number and fresh URLs, under a new ID', async () => {
    const world = await makeWorldAfter(404);
    await ask(world);
    world.respond = async () => respondWith(200);
    await attemptDelivery(world);
    const [first, second] = [bodyOf(world, 0), bodyOf(world, 1)];
    expect(first).not.toHaveProperty('redelivery');
    expect(second).toMatchObject({ batch_id: BATCH_ID, redelivery: 1 });
    expect(second.jobs[0].signed_cog_url).not.toBe(first.jobs[0].signed_cog_url);
    const ids = world.sent.map(({ headers }) => headers['webhook-id']);
    expect(ids[0]).toBe(EVENT_ID);
    expect(new Set(ids).size).toBe(2);
    expect((await world.event())?.state).toBe('acknowledged');
    expect((await world.log()).map(({ attempt: number, event_id: id }) => [number, id])).toEqual([
      [1, ids[0]],
      [2, ids[1]],
    ]);
  });

  it('has the whole retry schedule, even after the first delivery exhausted its own', async () => {
    const world = await makeWorldAfter(500);
    const wait = async () => {
      world.passes(RETRY_DELAYS_SECONDS[((await world.log()).length - 1) % MAX_ATTEMPTS] ?? 0);
      return attemptDelivery(world);
    };
    for (let waits = 0; (await isDue(world)) && waits < 2 * MAX_ATTEMPTS; waits++) await wait();
    expect(await world.log()).toHaveLength(MAX_ATTEMPTS);

    await ask(world);
    const requestedAt = world.now;
    await attemptDelivery(world);
    expect(await world.event()).toMatchObject({ state: 'due', attempts: MAX_ATTEMPTS + 1 });
    expect(Date.parse((await world.event())?.next_attempt_at ?? '') - Date.parse(requestedAt)).toBe(
      10_000,
    );
    for (let waits = 0; (await isDue(world)) && waits < 2 * MAX_ATTEMPTS; waits++) await wait();
    expect(await world.log()).toHaveLength(2 * MAX_ATTEMPTS);
    expect(world.deadLetters).toHaveLength(2);
    const bodies = world.sent.slice(MAX_ATTEMPTS).map(({ body }) => Buffer.from(body).toString());
    expect(new Set(bodies).size).toBe(1);
  });

  it('replaces a waiting retry, and starts no second chain', async () => {
    const world = await makeWorldAfter(500);
    const waiting = world.scheduled.at(-1)?.message;
    if (waiting === undefined) throw new Error('no retry was scheduled');
    await ask(world);
    world.respond = async () => respondWith(200);
    await attemptDelivery(world);
    world.passes(10);
    expect(await deliver(world.ports, await makeArrival(world, waiting))).toEqual({
      kind: 'dropped',
      because: 'superseded',
    });
    expect(world.sent).toHaveLength(2);
  });

  it('is not sent by a process that read the event earlier', async () => {
    const world = await makeWorldAfter(500);
    world.passes(10);
    const stale = await world.event();
    await ask(world);
    if (stale === null) throw new Error('no event');
    const lease = { id: 'late', until: at(60) };
    expect(await world.ports.outbox.claim(stale, lease, world.now)).toBe('unchanged');
  });

  it('leaves its first attempt to the reconciler if it cannot be queued', async () => {
    const world = await makeWorldAfter(404);
    world.breaking.add('enqueue');
    expect(await ask(world)).toMatchObject({ kind: 'accepted' });
    expect(world.left).toEqual([BATCH_ID]);
    expect((await world.event())?.state).toBe('due');
  });
});

describe('frequent requests for redelivery', () => {
  it('are rejected until a minute has passed', async () => {
    const world = await makeWorldAfter(404);
    await ask(world);
    world.passes(12);
    expect(await ask(world)).toEqual({
      kind: 'too-soon',
      retryAfterSeconds: REDELIVERY_INTERVAL_SECONDS - 12,
    });
    world.passes(REDELIVERY_INTERVAL_SECONDS - 12);
    expect(await ask(world)).toMatchObject({ kind: 'accepted' });
    expect((await world.event())?.redelivery?.number).toBe(2);
  });

  it('cause one redelivery if they are concurrent', async () => {
    const world = await makeWorldAfter(404);
    const responses = await Promise.all([ask(world), ask(world), ask(world)]);
    expect(responses.map(({ kind }) => kind).sort()).toEqual(['accepted', 'too-soon', 'too-soon']);
    expect((await world.event())?.redelivery?.number).toBe(1);
  });

  it('are rejected as too soon while an attempt is under way', async () => {
    const world = await DeliveryWorld.open();
    const during: string[] = [];
    world.respond = async () => {
      during.push((await ask(world)).kind);
      return respondWith(404);
    };
    await attemptDelivery(world);
    expect(during).toEqual(['too-soon']);
    expect(await world.event()).toMatchObject({ state: 'permanent', attempts: 1 });
  });

  it(`are rejected after ${MAX_REDELIVERIES} redeliveries`, async () => {
    const world = await makeWorldAfter(404);
    for (let number = 1; number <= MAX_REDELIVERIES; number++) {
      expect(await ask(world)).toMatchObject({ kind: 'accepted' });
      world.passes(REDELIVERY_INTERVAL_SECONDS);
      await attemptDelivery(world);
    }
    expect(await ask(world)).toEqual({ kind: 'refused', because: 'used up' });
  });
});

describe('a request for an impossible redelivery', () => {
  it.each([
    ['another tenant’s batch', 'other', BATCH_ID],
    ['an unknown batch', 'farm', 'not-a-batch'],
  ])('finds no batch if it names %s', async (_case, tenant, batchId) => {
    const world = await makeWorldAfter(404);
    expect(await ask(world, tenant, batchId)).toEqual({ kind: 'batch-unknown' });
  });

  it('is rejected if the batch has no webhook', async () => {
    const world = await DeliveryWorld.open();
    await world.records.storeBatch({ ...BATCH, webhook: null });
    expect(await ask(world)).toEqual({ kind: 'refused', because: 'no webhook' });
  });

  it('is rejected if the batch is unfinished', async () => {
    const world = await DeliveryWorld.open();
    await world.records.storeBatch({ ...BATCH, status: 'pending', started_at: null });
    expect(await ask(world)).toEqual({ kind: 'refused', because: 'not finished' });
  });
});

type Happening =
  | { readonly kind: 'next' | 'duplicate' | 'asks' }
  | { readonly kind: 'waits'; readonly seconds: number }
  | { readonly kind: 'breaks'; readonly port: 'recordAttempt' | 'enqueue' | 'deadLetters' };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constantFrom('next', 'next', 'duplicate', 'asks') }),
  fc.record({ kind: fc.constant('waits' as const), seconds: fc.integer({ min: 1, max: 1_000 }) }),
  fc.record({
    kind: fc.constant('breaks' as const),
    port: fc.constantFrom('recordAttempt', 'enqueue', 'deadLetters'),
  }),
);

async function perform(world: DeliveryWorld, what: Happening): Promise<void> {
  world.scheduled.sort((a, b) => a.at.localeCompare(b.at));
  const [next] = world.scheduled;
  switch (what.kind) {
    case 'next':
      if (next === undefined) return;
      world.scheduled.shift();
      if (next.at > world.now) world.now = next.at;
      await deliver(world.ports, await makeArrival(world, next.message, next.receivedBefore)).catch(
        () => {
          // SQS delivers unfinished messages again.
          world.scheduled.push({ ...next, receivedBefore: true });
        },
      );
      return;
    case 'duplicate':
      if (next !== undefined) world.scheduled.push(next);
      return;
    case 'asks':
      await ask(world);
      return;
    case 'waits':
      return world.passes(what.seconds);
    case 'breaks':
      world.breaking.add(what.port);
  }
}

describe('any sequence of redeliveries and crashes', () => {
  it('leads to one body and at most six attempts per ID, and one log entry per attempt', async () => {
    const statuses = fc.array(fc.constantFrom(200, 404, 500, 503), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { maxLength: 50 }),
        statuses,
        async (story, responses) => {
          const world = await DeliveryWorld.open();
          world.respond = async () =>
            respondWith(responses[world.sent.length % responses.length] ?? 500);
          world.scheduled.push({ message: await world.message(), at: world.now });
          for (const what of story) await perform(world, what);

          const numbers = (await world.log()).map((line) => line.attempt);
          expect(numbers).toEqual(numbers.map((_, index) => index + 1));
          const ids = new Set(world.sent.map(({ headers }) => headers['webhook-id']));
          for (const id of ids) {
            const ofId = world.sent.filter(({ headers }) => headers['webhook-id'] === id);
            expect(new Set(ofId.map(({ body }) => body)).size).toBe(1);
            const lines = (await world.log()).filter(({ event_id: eventId }) => eventId === id);
            expect(lines.length).toBeLessThanOrEqual(MAX_ATTEMPTS);
          }
          expect(ids.size).toBeLessThanOrEqual(
            1 + ((await world.event())?.redelivery?.number ?? 0),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});
