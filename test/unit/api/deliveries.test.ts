import { describe, expect, it } from 'vitest';
import {
  batchDeliveriesOperation,
  redeliverOperation,
} from '../../../lambdas/api/operations/deliveries.ts';
import { routeNamed } from '../../../lambdas/api/routes.ts';
import { batchRecord } from '../../../lambdas/domain/batch/batch.ts';
import { deliver } from '../../../lambdas/domain/delivery/deliver.ts';
import { deliveriesSchema } from '../../../lambdas/domain/delivery/delivery-schema.ts';
import { handle } from '../../../local/dev/handle.ts';
import { type Call, gatewayEvent } from '../../support/api/gateway-event.ts';
import {
  at,
  BATCH,
  BATCH_ID,
  DeliveryWorld,
  makeArrival,
  respondWith,
} from '../delivery/delivery-world.ts';

const ignoreLog = () => undefined;

function callsTo(world: DeliveryWorld) {
  const log = handle(
    routeNamed('batch-deliveries'),
    () => batchDeliveriesOperation(world.ports),
    ignoreLog,
  );
  const redeliver = handle(
    routeNamed('redeliver'),
    () => redeliverOperation(world.ports),
    ignoreLog,
  );
  return async (method: 'GET' | 'POST', call: Call = {}) => {
    const resource = '/v1/batch/{batch_id}/deliveries';
    const parameters = { batch_id: BATCH_ID };
    const event = gatewayEvent({ method, resource, parameters, tenant: 'farm', ...call });
    const { statusCode, headers, body } = await (method === 'GET' ? log : redeliver)(event);
    return { statusCode, headers, body: JSON.parse(body) };
  };
}

describe('the delivery log', () => {
  it('lists each attempt with time, outcome, duration and size, and the next attempt', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => {
      world.passes(3);
      return respondWith(503);
    };
    await deliver(world.ports, await makeArrival(world));
    const { statusCode, headers, body } = await callsTo(world)('GET');
    expect(statusCode).toBe(200);
    expect(headers).toHaveProperty('Retry-After');
    expect(deliveriesSchema.parse(body)).toMatchObject({
      batch_id: BATCH_ID,
      state: 'due',
      redeliveries: 0,
      next_attempt_at: at(13),
      attempts: [
        {
          attempt: 1,
          started_at: at(0),
          outcome: 'retry',
          reason: expect.stringContaining('503'),
          status_code: 503,
          duration_ms: 3_000,
          body_bytes: world.sent[0]?.body.byteLength,
          next_attempt_at: at(13),
        },
      ],
    });
  });

  it('gives the reason when there was no response', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => ({ kind: 'failed', cause: 'connection', detail: 'ECONNREFUSED' });
    await deliver(world.ports, await makeArrival(world));
    const { body } = await callsTo(world)('GET');
    expect(body.attempts[0]).toMatchObject({
      status_code: null,
      reason: 'the connection to the receiver failed (ECONNREFUSED): temporary',
    });
  });

  it('contains neither the secret nor the URL', async () => {
    const world = await DeliveryWorld.open();
    await deliver(world.ports, await makeArrival(world));
    const text = JSON.stringify(await callsTo(world)('GET'));
    expect(text).not.toContain('c2VjcmV0');
    expect(text).not.toContain('example.org');
  });

  it('is empty and not final for an unfinished batch', async () => {
    const world = await DeliveryWorld.open();
    await world.records.removeEvent(BATCH_ID);
    await world.records.storeBatch({ ...BATCH, status: 'pending', started_at: null });
    const { headers, body } = await callsTo(world)('GET');
    expect(deliveriesSchema.parse(body)).toMatchObject({ state: null, attempts: [] });
    expect(headers).toHaveProperty('Retry-After');
  });

  it('is empty and final for a batch without a webhook', async () => {
    const world = await DeliveryWorld.open();
    await world.records.removeEvent(BATCH_ID);
    await world.records.storeBatch({ ...BATCH, webhook: null });
    const { headers, body } = await callsTo(world)('GET');
    expect(deliveriesSchema.parse(body)).toMatchObject({ state: null, attempts: [] });
    expect(headers).not.toHaveProperty('Retry-After');
  });

  it.each(['GET', 'POST'] as const)('is not found for another tenant: %s', async (method) => {
    const { statusCode, body } = await callsTo(await DeliveryWorld.open())(method, {
      tenant: 'other',
    });
    expect(statusCode).toBe(404);
    expect(body.type).toMatch(/batch-not-found$/);
  });
});

describe('a redelivery', () => {
  it('is accepted with the current log, and appears in it afterwards', async () => {
    const world = await DeliveryWorld.open();
    world.respond = async () => respondWith(404);
    await deliver(world.ports, await makeArrival(world));
    const call = callsTo(world);
    const accepted = await call('POST');
    expect(accepted.statusCode).toBe(202);
    expect(deliveriesSchema.parse(accepted.body)).toMatchObject({
      state: 'due',
      redeliveries: 1,
      next_attempt_at: world.now,
      attempts: [{ attempt: 1, outcome: 'permanent' }],
    });
    world.respond = async () => respondWith(200);
    await deliver(world.ports, await makeArrival(world));
    const { body } = await call('GET');
    expect(deliveriesSchema.parse(body)).toMatchObject({
      state: 'acknowledged',
      next_attempt_at: null,
      attempts: [{ attempt: 1 }, { attempt: 2, outcome: 'acknowledged', status_code: 200 }],
    });
    expect(body.attempts[1].webhook_id).toBe(accepted.body.webhook_id);
  });

  it('gets 429 with the seconds to wait when it is too soon', async () => {
    const world = await DeliveryWorld.open();
    await deliver(world.ports, await makeArrival(world));
    const call = callsTo(world);
    await call('POST');
    const { statusCode, headers } = await call('POST');
    expect(statusCode).toBe(429);
    expect(headers).toMatchObject({ 'Retry-After': '60' });
  });

  const UNFINISHED = batchRecord.parse({ ...BATCH, status: 'pending', started_at: null });

  it.each([
    ['without a webhook', { ...BATCH, webhook: null }, 'webhook_url'],
    ['that is not finished', UNFINISHED, 'not finished'],
  ])('is rejected with 409 for a batch %s', async (_case, batch, why) => {
    const world = await DeliveryWorld.open();
    await world.records.storeBatch(batch);
    const { statusCode, body } = await callsTo(world)('POST');
    expect(statusCode).toBe(409);
    expect(body.type).toMatch(/not-redeliverable$/);
    expect(body.detail).toContain(why);
  });
});
