import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliver } from '../../../lambdas/domain/delivery/deliver.ts';
import { redeliver } from '../../../lambdas/domain/delivery/redelivery.ts';
import {
  at,
  BATCH_ID,
  DeliveryWorld,
  deliverNextMessage,
  EVENT,
  INVOCATION_SECONDS,
  makeArrival,
  respondWith,
} from './delivery-world.ts';

describe('a message', () => {
  it('is dropped if it arrives too early, because another message is queued', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => respondWith(500);
    await deliver(world.ports, await makeArrival(world));
    world.passes(4.9);
    const delivery = await deliver(world.ports, await makeArrival(world));
    expect(delivery).toEqual({ kind: 'dropped', because: 'early' });
    expect(world.scheduled).toMatchObject([{ at: at(10), message: { attempt: 2 } }]);
    expect(world.sent).toHaveLength(1);
  });

  it.each([5, 9.4])(
    'makes its attempt wait if it arrives slightly early because of clock skew: after %d s of 10',
    async (seconds) => {
      const world = await DeliveryWorld.open();
      world.respond = async () => respondWith(500);
      await deliver(world.ports, await makeArrival(world));
      world.passes(seconds);
      await deliver(world.ports, await makeArrival(world));
      expect(await world.log()).toMatchObject([{ attempt: 1 }, { attempt: 2, started_at: at(10) }]);
    },
  );

  it('is dropped if a redelivery, which has its own message, replaced its delivery', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => respondWith(500);
    await deliver(world.ports, await makeArrival(world));
    const old = await makeArrival(world);
    expect(await redeliver(world.ports, 'farm', BATCH_ID)).toMatchObject({ kind: 'accepted' });
    expect(await deliver(world.ports, old)).toEqual({ kind: 'dropped', because: 'superseded' });
    expect(world.sent).toHaveLength(1);
    expect(world.scheduled.at(-1)?.message).toEqual({ ...old.message, redelivery: 1 });
  });

  it('causes no second attempt if it arrives twice during an attempt', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => {
      const twin = await deliver(world.ports, await makeArrival(world));
      expect(twin).toEqual({ kind: 'dropped', because: 'leased' });
      return respondWith(500);
    };
    await deliver(world.ports, await makeArrival(world));
    expect(world.sent).toHaveLength(1);
    expect(world.scheduled).toHaveLength(1);
  });

  it('starts no second chain if it arrives again after its attempt', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => respondWith(500);
    const first = await makeArrival(world);
    await deliver(world.ports, first);
    expect(await deliver(world.ports, first)).toEqual({ kind: 'dropped', because: 'ended' });
    expect(world.scheduled).toHaveLength(1);
    expect(world.sent).toHaveLength(1);
  });

  it.each<[string, (world: DeliveryWorld) => Promise<unknown>]>([
    ['the next attempt', async (world) => deliver(world.ports, await makeArrival(world))],
    [
      'a follow-up whose queueing failed before',
      async (world) => {
        world.breaking.add('enqueue');
        const first = await makeArrival(world);
        await expect(deliver(world.ports, first)).rejects.toThrow('enqueue broke');
        await deliver(world.ports, await makeArrival(world, first.message, true));
      },
    ],
  ])("is queued in its tenant's message group: %s", async (_case, wait) => {
    const world = await DeliveryWorld.open();
    world.respond = async () => respondWith(500);
    await wait(world);
    expect(world.scheduled.map(({ tenant }) => tenant)).toEqual(['farm']);
  });

  it('is dropped if the event is settled', async () => {
    const world = await DeliveryWorld.open();
    await deliver(world.ports, await makeArrival(world));
    const late = await deliver(world.ports, await makeArrival(world));
    expect(late).toEqual({ kind: 'dropped', because: 'ended' });
    expect(world.sent).toHaveLength(1);
  });

  it('is dropped if it is for an attempt beyond the next one', async () => {
    const world = await DeliveryWorld.open();
    const beyond = await makeArrival(world, { ...(await world.message()), attempt: 2 });
    expect(await deliver(world.ports, beyond)).toEqual({ kind: 'dropped', because: 'unknown' });
    expect(world.sent).toEqual([]);
  });

  it.each([
    ['an unknown event', 'removeEvent'],
    ['a batch that has expired', 'removeBatch'],
  ] as const)('is dropped if it is about %s', async (_case, removal) => {
    const world = await DeliveryWorld.open();
    const asked = await makeArrival(world);
    await world.records[removal](BATCH_ID);
    expect(await deliver(world.ports, asked)).toEqual({ kind: 'dropped', because: 'unknown' });
    expect(world.sent).toEqual([]);
  });
});

describe('a process that dies or is overtaken', () => {
  it('during an attempt leaves the same attempt to be repeated', async () => {
    const world = await DeliveryWorld.open();
    world.breaking.add('recordAttempt');
    const first = await makeArrival(world);
    await expect(deliver(world.ports, first)).rejects.toThrow('recordAttempt broke');
    world.passes(INVOCATION_SECONDS);
    await deliver(world.ports, await makeArrival(world, first.message, true));
    expect(await world.event()).toMatchObject({ state: 'acknowledged', attempts: 1 });
    expect(world.sent).toHaveLength(2);
    expect(world.sent[1]?.body).toEqual(world.sent[0]?.body);
    expect(await world.log()).toMatchObject([{ attempt: 1 }]);
  });

  it('after the attempt but before its follow-up leaves only the follow-up to be queued', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => respondWith(500);
    world.breaking.add('enqueue');
    const first = await makeArrival(world);
    await expect(deliver(world.ports, first)).rejects.toThrow('enqueue broke');
    world.passes(4);
    const again = await deliver(world.ports, await makeArrival(world, first.message, true));
    expect(again).toEqual({ kind: 'resumed' });
    expect(world.scheduled).toMatchObject([{ at: at(10), message: { attempt: 2 } }]);
    expect(world.sent).toHaveLength(1);
  });

  it('before it sends the dead letter leaves it to the next delivery of the message', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => respondWith(500);
    await world.records.storeEvent({ ...EVENT, attempts: 5 });
    world.breaking.add('deadLetters');
    const last = await makeArrival(world);
    await expect(deliver(world.ports, last)).rejects.toThrow('deadLetters broke');
    await deliver(world.ports, await makeArrival(world, last.message, true));
    expect(world.deadLetters).toHaveLength(1);
  });

  it('writes nothing after another process took over its lease', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => {
      world.passes(INVOCATION_SECONDS + 1);
      world.respond = async () => respondWith(200);
      await deliver(world.ports, await makeArrival(world));
      return respondWith(500);
    };
    const late = await deliver(world.ports, await makeArrival(world));
    expect(late).toEqual({ kind: 'dropped', because: 'lease lost' });
    expect(await world.event()).toMatchObject({ state: 'acknowledged', attempts: 1 });
    expect(world.scheduled).toEqual([]);
  });
});

type Happening =
  | { readonly kind: 'next' | 'duplicate' | 'reconciler' }
  | { readonly kind: 'waits'; readonly seconds: number }
  | { readonly kind: 'breaks'; readonly port: 'recordAttempt' | 'enqueue' | 'deadLetters' };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constantFrom('next', 'duplicate', 'reconciler') }),
  fc.record({ kind: fc.constant('waits' as const), seconds: fc.integer({ min: 1, max: 1_000 }) }),
  fc.record({
    kind: fc.constant('breaks' as const),
    port: fc.constantFrom('recordAttempt', 'enqueue', 'deadLetters'),
  }),
);

async function perform(world: DeliveryWorld, what: Happening): Promise<void> {
  const [next] = world.scheduled;
  switch (what.kind) {
    case 'next':
      await deliverNextMessage(world).catch(() => {
        // SQS delivers unfinished messages again.
        if (next !== undefined) world.scheduled.push({ ...next, receivedBefore: true });
      });
      return;
    case 'duplicate':
      if (next !== undefined) world.scheduled.push(next);
      return;
    case 'reconciler':
      world.scheduled.push({ message: await world.message(), at: world.now });
      return;
    case 'waits':
      return world.passes(what.seconds);
    case 'breaks':
      world.breaking.add(what.port);
  }
}

describe('any sequence of messages and crashes', () => {
  it('leads to at most six attempts, none too early or counted twice, all with the same body', async () => {
    const statuses = fc.array(fc.constantFrom(200, 404, 500, 503), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { maxLength: 40 }),
        statuses,
        async (story, responses) => {
          const world = await DeliveryWorld.open();
          world.respond = async () =>
            respondWith(responses[world.sent.length % responses.length] ?? 500);
          world.scheduled.push({ message: await world.message(), at: world.now });
          for (const what of story) await perform(world, what);

          const numbers = (await world.log()).map(({ attempt }) => attempt);
          expect(numbers).toEqual(numbers.map((_, index) => index + 1));
          expect(numbers.length).toBeLessThanOrEqual(6);
          for (const [index, made] of (await world.log()).slice(1).entries()) {
            expect(Date.parse(made.started_at)).toBeGreaterThanOrEqual(
              Date.parse((await world.log())[index]?.retry_at ?? 'never'),
            );
          }
          expect(new Set(world.sent.map(({ body }) => body)).size).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 300 },
    );
  });
});
