import { describe, expect, it } from 'vitest';
import { deliver } from '../../../lambdas/domain/delivery/deliver.ts';
import { serviceSignature } from '../../../lambdas/domain/delivery/signature.ts';
import {
  at,
  BATCH,
  BATCH_ID,
  DeliveryWorld,
  deliverNextMessage,
  EVENT_ID,
  FIRST_JOB_ID,
  METADATA,
  makeArrival,
  respondWith,
} from './delivery-world.ts';

describe('an acknowledged delivery', () => {
  it('sends one signed request and queues nothing', async () => {
    const world = await DeliveryWorld.open();
    const delivery = await deliver(world.ports, await makeArrival(world));
    expect(delivery).toMatchObject({
      kind: 'attempted',
      attempt: { attempt: 1, verdict: 'acknowledged', status_code: 200, retry_at: null },
    });
    expect(await world.event()).toMatchObject({ state: 'acknowledged', attempts: 1 });
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

  it('contains the exact metadata, and a URL for completed jobs', async () => {
    const world = await DeliveryWorld.open();
    await deliver(world.ports, await makeArrival(world));
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

  it('is unsigned if the client sent no secret', async () => {
    const world = await DeliveryWorld.open();
    const url = 'https://example.org/hook';
    await world.records.storeBatch({
      ...BATCH,
      webhook: { url, secret_ciphertext: null, jobs: 'full' },
    });
    await deliver(world.ports, await makeArrival(world));
    expect(world.sent[0]?.headers).not.toHaveProperty('X-Service-Signature');
  });

  it('omits the jobs if the client requested none', async () => {
    const world = await DeliveryWorld.open();
    const url = 'https://example.org/hook';
    await world.records.storeBatch({
      ...BATCH,
      webhook: { url, secret_ciphertext: null, jobs: 'none' },
    });
    await deliver(world.ports, await makeArrival(world));
    const body = JSON.parse(Buffer.from(world.sent[0]?.body ?? []).toString('utf8'));
    expect(body).toMatchObject({ jobs: [], jobs_omitted: true });
  });

  it('has a duration of 0 if the clock steps back', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => {
      world.passes(-9);
      return respondWith(200);
    };
    await deliver(world.ports, await makeArrival(world));
    expect(await world.log()).toMatchObject([{ duration_ms: 0, verdict: 'acknowledged' }]);
  });
});

describe('a failed delivery', () => {
  it('is attempted six times on the specified schedule, then dead-lettered', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => respondWith(503);
    await deliver(world.ports, await makeArrival(world));
    for (let sent = 1; sent < 10 && (await deliverNextMessage(world)); sent++);
    const starts = (await world.log()).map(({ started_at: startedAt }) => startedAt);
    const sinceFirst = [0, 10, 40, 100, 400, 1_300];
    expect(starts).toEqual(sinceFirst.map((seconds) => at(seconds)));
    expect(await world.event()).toMatchObject({ state: 'exhausted', attempts: 6 });
    expect(world.deadLetters).toMatchObject([{ batch_id: BATCH_ID, attempts: 6 }]);
  });

  it('measures each delay from the failure, not from the start of the attempt', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => {
      world.passes(9);
      return respondWith(500);
    };
    await deliver(world.ports, await makeArrival(world));
    expect((await world.event())?.next_attempt_at).toBe(at(19));
    expect(world.scheduled).toMatchObject([{ at: at(19), message: { attempt: 2 } }]);
    expect(await world.log()).toMatchObject([{ duration_ms: 9_000, verdict: 'retry' }]);
  });

  it('sends the same bytes and body signature each time, with a fresh timestamp', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => respondWith(500);
    await deliver(world.ports, await makeArrival(world));
    for (let sent = 1; sent < 10 && (await deliverNextMessage(world)); sent++);
    const bodies = new Set(world.sent.map(({ body }) => Buffer.from(body).toString('hex')));
    const signatures = new Set(world.sent.map(({ headers }) => headers['X-Service-Signature']));
    const times = new Set(world.sent.map(({ headers }) => headers['webhook-timestamp']));
    expect([bodies.size, signatures.size, times.size]).toEqual([1, 1, 6]);
  });

  it.each([302, 400, 404, 429])(
    'is not retried after the permanent status %i',
    async (statusCode) => {
      const world = await DeliveryWorld.open();
      world.respond = async () => respondWith(statusCode);
      await deliver(world.ports, await makeArrival(world));
      expect(await world.event()).toMatchObject({ state: 'permanent', attempts: 1 });
      expect(world.scheduled).toEqual([]);
      expect(world.deadLetters).toEqual([]);
    },
  );
});

describe('the body of a delivery', () => {
  it('is the body that was stored first', async () => {
    const world = await DeliveryWorld.open();
    world.rivalBody = Buffer.from('{"made":"by another"}', 'utf8');
    await deliver(world.ports, await makeArrival(world));
    expect(world.sent[0]?.body).toEqual(world.rivalBody);
    const signature = serviceSignature(world.rivalBody, 'secret');
    expect(world.sent[0]?.headers['X-Service-Signature']).toBe(signature);
  });

  it('is not sent while its URLs cannot be signed; its attempt is left to the reconciler and not counted', async () => {
    const world = await DeliveryWorld.open();
    world.signingKey = 'missing';
    world.passes(5);
    const delivery = await deliver(world.ports, await makeArrival(world));
    expect(delivery).toEqual({ kind: 'postponed', because: 'no signing key' });
    expect(await world.event()).toMatchObject({
      state: 'due',
      attempts: 0,
      next_attempt_at: at(5),
    });
    expect([world.sent, world.scheduled]).toEqual([[], []]);
    world.signingKey = 'there';
    await deliver(world.ports, await makeArrival(world));
    expect(await world.log()).toMatchObject([{ attempt: 1, started_at: at(5) }]);
  });
});
