import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliver } from '../../../lambdas/domain/delivery/deliver.ts';
import { serviceSignature } from '../../../lambdas/domain/delivery/signature.ts';
import {
  answered,
  arrival,
  at,
  BATCH,
  BATCH_ID,
  DeliveryWorld,
  EVENT_ID,
  FIRST_JOB_ID,
  INVOCATION_SECONDS,
  METADATA,
} from './delivery-world.ts';

/** Delivers the earliest scheduled message at its time; false when none is left. */
async function nextMessage(world: DeliveryWorld): Promise<boolean> {
  world.scheduled.sort((a, b) => a.at.localeCompare(b.at));
  const next = world.scheduled.shift();
  if (next === undefined) return false;
  if (next.at > world.now) world.now = next.at;
  await deliver(world.ports, arrival(world, next.message, next.redelivered));
  return true;
}

describe('a delivery that is acknowledged', () => {
  it('sends one signed request, and nothing is left to do', async () => {
    const world = new DeliveryWorld();
    const delivery = await deliver(world.ports, arrival(world));
    expect(delivery).toMatchObject({
      kind: 'attempted',
      attempt: { attempt: 1, verdict: 'acknowledged', statusCode: 200, nextAttemptAt: null },
    });
    expect(world.event).toMatchObject({ state: 'acknowledged', attempts: 1 });
    expect(world.scheduled).toEqual([]);
    expect(world.deadLetters).toEqual([]);
    const [request] = world.sent;
    expect(request?.headers).toMatchObject({
      'Content-Type': 'application/json',
      'X-Service-Event': 'batch.completed',
      'webhook-id': EVENT_ID,
    });
    const signature = serviceSignature(request?.body ?? Buffer.of(), 'secret');
    expect(request?.headers['X-Service-Signature']).toBe(signature);
  });

  it('carries the metadata as the exact text that was sent, and a URL for completed jobs', async () => {
    const world = new DeliveryWorld();
    await deliver(world.ports, arrival(world));
    const text = Buffer.from(world.sent[0]?.body ?? []).toString('utf8');
    expect(text).toContain(`"metadata":${METADATA}`);
    const body: { jobs: { status: string; signed_cog_url: string | null }[] } = JSON.parse(text);
    expect(body).toMatchObject({
      batch_id: BATCH_ID,
      status: 'partial',
      completed_jobs: 1,
      failed_jobs: 1,
      total_jobs: 2,
    });
    expect(body.jobs).toHaveLength(2);
    expect(body.jobs[0]?.signed_cog_url).toContain(FIRST_JOB_ID);
    expect(body.jobs[1]).toMatchObject({
      status: 'failed',
      signed_cog_url: null,
      signed_url_expires_at: null,
      error_message: 'ring 0 is not closed',
    });
  });

  it('is unsigned when the client gave no secret', async () => {
    const world = new DeliveryWorld();
    const url = 'https://example.org/hook';
    world.batch = { ...BATCH, webhook: { url, secretCiphertext: null, jobs: 'full' } };
    await deliver(world.ports, arrival(world));
    expect(world.sent[0]?.headers).not.toHaveProperty('X-Service-Signature');
  });

  it('leaves the jobs out when the client asked for none', async () => {
    const world = new DeliveryWorld();
    const url = 'https://example.org/hook';
    world.batch = { ...BATCH, webhook: { url, secretCiphertext: null, jobs: 'none' } };
    await deliver(world.ports, arrival(world));
    const body = JSON.parse(Buffer.from(world.sent[0]?.body ?? []).toString('utf8'));
    expect(body).toMatchObject({ jobs: [], jobs_omitted: true });
  });
});

describe('a delivery that fails', () => {
  it('is made six times on the specification’s schedule, then dead-lettered', async () => {
    const world = new DeliveryWorld();
    world.answer = async () => answered(503);
    await deliver(world.ports, arrival(world));
    while (await nextMessage(world));
    const starts = world.log.map(({ startedAt }) => startedAt);
    const sinceFirst = [0, 10, 40, 100, 400, 1_300];
    expect(starts).toEqual(sinceFirst.map((seconds) => at(seconds)));
    expect(world.event).toMatchObject({ state: 'exhausted', attempts: 6 });
    expect(world.deadLetters).toMatchObject([{ batchId: BATCH_ID, attempts: 6 }]);
  });

  it('counts each delay from the failure, not from the attempt’s start', async () => {
    const world = new DeliveryWorld();
    world.answer = async () => {
      world.passes(9);
      return answered(500);
    };
    await deliver(world.ports, arrival(world));
    expect(world.event?.nextAttemptAt).toBe(at(19));
    expect(world.scheduled).toMatchObject([{ at: at(19), message: { attempt: 2 } }]);
    expect(world.log).toMatchObject([{ durationMs: 9_000, verdict: 'retry' }]);
  });

  it('sends the same bytes and the same signature each time, with a fresh timestamp', async () => {
    const world = new DeliveryWorld();
    world.answer = async () => answered(500);
    await deliver(world.ports, arrival(world));
    while (await nextMessage(world));
    const bodies = new Set(world.sent.map(({ body }) => Buffer.from(body).toString('hex')));
    const signatures = new Set(world.sent.map(({ headers }) => headers['X-Service-Signature']));
    const times = new Set(world.sent.map(({ headers }) => headers['webhook-timestamp']));
    expect([bodies.size, signatures.size, times.size]).toEqual([1, 1, 6]);
  });

  it.each([302, 400, 404, 429])('for good with %i is never tried again', async (statusCode) => {
    const world = new DeliveryWorld();
    world.answer = async () => answered(statusCode);
    await deliver(world.ports, arrival(world));
    expect(world.event).toMatchObject({ state: 'permanent', attempts: 1 });
    expect(world.scheduled).toEqual([]);
    expect(world.deadLetters).toEqual([]);
  });
});

describe('a message', () => {
  it('that comes too early waits for the rest of its time', async () => {
    const world = new DeliveryWorld();
    world.answer = async () => answered(500);
    await deliver(world.ports, arrival(world));
    world.scheduled.length = 0;
    world.passes(7.5);
    const delivery = await deliver(world.ports, arrival(world));
    expect(delivery).toEqual({ kind: 'postponed', because: 'early' });
    expect(world.scheduled).toMatchObject([{ at: at(10.5), message: { attempt: 2 } }]);
    expect(world.sent).toHaveLength(1);
  });

  it('that comes twice while the attempt runs makes no second one', async () => {
    const world = new DeliveryWorld();
    world.answer = async () => {
      const twin = await deliver(world.ports, arrival(world));
      expect(twin).toEqual({ kind: 'dropped', because: 'leased' });
      return answered(500);
    };
    await deliver(world.ports, arrival(world));
    expect(world.sent).toHaveLength(1);
    expect(world.scheduled).toHaveLength(1);
  });

  it('that comes again after its attempt forks no second chain', async () => {
    const world = new DeliveryWorld();
    world.answer = async () => answered(500);
    const first = arrival(world);
    await deliver(world.ports, first);
    expect(await deliver(world.ports, first)).toEqual({ kind: 'dropped', because: 'ended' });
    expect(world.scheduled).toHaveLength(1);
    expect(world.sent).toHaveLength(1);
  });

  it.each<[string, (world: DeliveryWorld) => Promise<unknown>]>([
    ['the next attempt', (world) => deliver(world.ports, arrival(world))],
    [
      'the rest of a time',
      async (world) => {
        await deliver(world.ports, arrival(world));
        world.scheduled.length = 0;
        await deliver(world.ports, arrival(world));
      },
    ],
    [
      'a follow-up that nobody had asked for',
      async (world) => {
        world.breaking.add('schedule');
        const first = arrival(world);
        await expect(deliver(world.ports, first)).rejects.toThrow('schedule broke');
        await deliver(world.ports, arrival(world, first.message, true));
      },
    ],
    [
      'a signing key',
      (world) => {
        world.signingKey = 'missing';
        return deliver(world.ports, arrival(world));
      },
    ],
  ])('that waits for %s names its tenant, whose queue it waits in', async (_case, wait) => {
    const world = new DeliveryWorld();
    world.answer = async () => answered(500);
    await wait(world);
    expect(world.scheduled.map(({ tenant }) => tenant)).toEqual(['farm']);
  });

  it.each([
    ['an event nobody knows', 'event'],
    ['a batch that has expired', 'batch'],
  ] as const)('about %s is dropped', async (_case, gone) => {
    const world = new DeliveryWorld();
    const asked = arrival(world);
    world[gone] = null;
    expect(await deliver(world.ports, asked)).toEqual({ kind: 'dropped', because: 'unknown' });
    expect(world.sent).toEqual([]);
  });
});

describe('a process that dies', () => {
  it('in the middle of an attempt leaves it to be made again, the same', async () => {
    const world = new DeliveryWorld();
    world.breaking.add('settle');
    const first = arrival(world);
    await expect(deliver(world.ports, first)).rejects.toThrow('settle broke');
    world.passes(INVOCATION_SECONDS);
    await deliver(world.ports, arrival(world, first.message, true));
    expect(world.event).toMatchObject({ state: 'acknowledged', attempts: 1 });
    expect(world.sent).toHaveLength(2);
    expect(world.sent[1]?.body).toEqual(world.sent[0]?.body);
    expect(world.log).toMatchObject([{ attempt: 1 }]);
  });

  it('after the attempt but before its follow-up resumes with the follow-up alone', async () => {
    const world = new DeliveryWorld();
    world.answer = async () => answered(500);
    world.breaking.add('schedule');
    const first = arrival(world);
    await expect(deliver(world.ports, first)).rejects.toThrow('schedule broke');
    world.passes(4);
    const again = await deliver(world.ports, arrival(world, first.message, true));
    expect(again).toEqual({ kind: 'resumed' });
    expect(world.scheduled).toMatchObject([{ at: at(10), message: { attempt: 2 } }]);
    expect(world.sent).toHaveLength(1);
  });

  it('before the dead letter was sent sends it on the next look', async () => {
    const world = new DeliveryWorld();
    world.answer = async () => answered(500);
    if (world.event !== null) world.event = { ...world.event, attempts: 5 };
    world.breaking.add('deadLetters');
    const last = arrival(world);
    await expect(deliver(world.ports, last)).rejects.toThrow('deadLetters broke');
    await deliver(world.ports, arrival(world, last.message, true));
    expect(world.deadLetters).toHaveLength(1);
  });

  it('and comes back after another took over writes nothing', async () => {
    const world = new DeliveryWorld();
    world.answer = async () => {
      world.passes(INVOCATION_SECONDS + 1);
      world.answer = async () => answered(200);
      await deliver(world.ports, arrival(world));
      return answered(500);
    };
    const late = await deliver(world.ports, arrival(world));
    expect(late).toEqual({ kind: 'dropped', because: 'lease lost' });
    expect(world.event).toMatchObject({ state: 'acknowledged', attempts: 1 });
    expect(world.scheduled).toEqual([]);
  });
});

describe('the body', () => {
  it('is that of whoever stored it first', async () => {
    const world = new DeliveryWorld();
    world.rivalBody = Buffer.from('{"made":"by another"}', 'utf8');
    await deliver(world.ports, arrival(world));
    expect(world.sent[0]?.body).toEqual(world.rivalBody);
    const signature = serviceSignature(world.rivalBody, 'secret');
    expect(world.sent[0]?.headers['X-Service-Signature']).toBe(signature);
  });

  it('that can’t be signed yet is no attempt, and is tried again soon', async () => {
    const world = new DeliveryWorld();
    world.signingKey = 'missing';
    const delivery = await deliver(world.ports, arrival(world));
    expect(delivery).toEqual({ kind: 'postponed', because: 'no signing key' });
    expect(world.event).toMatchObject({ state: 'due', attempts: 0, nextAttemptAt: at(30) });
    expect(world.sent).toEqual([]);
    world.signingKey = 'there';
    await nextMessage(world);
    expect(world.log).toMatchObject([{ attempt: 1, startedAt: at(30) }]);
  });
});

type Happening =
  | { readonly kind: 'next' | 'duplicate' | 'reconciler' }
  | { readonly kind: 'waits'; readonly seconds: number }
  | { readonly kind: 'breaks'; readonly port: 'settle' | 'schedule' | 'deadLetters' };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constantFrom('next', 'duplicate', 'reconciler') }),
  fc.record({ kind: fc.constant('waits' as const), seconds: fc.integer({ min: 1, max: 1_000 }) }),
  fc.record({
    kind: fc.constant('breaks' as const),
    port: fc.constantFrom('settle', 'schedule', 'deadLetters'),
  }),
);

async function happens(world: DeliveryWorld, what: Happening): Promise<void> {
  const [next] = world.scheduled;
  switch (what.kind) {
    case 'next':
      await nextMessage(world).catch(() => {
        // The queue hands out again what was not finished.
        if (next !== undefined) world.scheduled.push({ ...next, redelivered: true });
      });
      return;
    case 'duplicate':
      if (next !== undefined) world.scheduled.push(next);
      return;
    case 'reconciler':
      world.scheduled.push({ message: world.message(), at: world.now });
      return;
    case 'waits':
      return world.passes(what.seconds);
    case 'breaks':
      world.breaking.add(what.port);
  }
}

describe('whatever happens to messages and processes', () => {
  it('no attempt is early, none is counted twice, six is the most, and all send one body', async () => {
    const statuses = fc.array(fc.constantFrom(200, 404, 500, 503), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 40 }), statuses, async (story, answers) => {
        const world = new DeliveryWorld();
        world.answer = async () => answered(answers[world.sent.length % answers.length] ?? 500);
        world.scheduled.push({ message: world.message(), at: world.now });
        for (const what of story) await happens(world, what);

        const numbers = world.log.map(({ attempt }) => attempt);
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
        expect(numbers.length).toBeLessThanOrEqual(6);
        for (const [index, made] of world.log.slice(1).entries()) {
          expect(Date.parse(made.startedAt)).toBeGreaterThanOrEqual(
            Date.parse(world.log[index]?.nextAttemptAt ?? 'never'),
          );
        }
        expect(new Set(world.sent.map(({ body }) => body)).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });
});
