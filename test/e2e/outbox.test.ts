import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoDeliveryLog } from '../../lambdas/adapters/dynamodb/delivery-log.ts';
import { dynamoOutboxStore, dynamoRedeliveries } from '../../lambdas/adapters/dynamodb/outbox.ts';
import { dynamoTestAllowance } from '../../lambdas/adapters/dynamodb/test-allowance.ts';
import { s3DeliveryBodies } from '../../lambdas/adapters/s3/delivery-bodies.ts';
import { addSeconds, timestamp } from '../../lambdas/domain/clock.ts';
import type { Lease, OutboxEvent } from '../../lambdas/domain/delivery/outbox.ts';
import type { DeliveryAttempt } from '../../lambdas/domain/delivery/outcome.ts';
import { newBatchId } from '../../lambdas/domain/identity.ts';
import { ROOT_CREDENTIALS } from '../../local/emulator/emulator.ts';
import { everyOne } from '../../local/in-memory/pages.ts';
import { createStateTable } from '../support/deployed/state-table.ts';

const service = inject('service');
const table = await createStateTable(service.endpoint_url, service.region);
const batches = dynamoBatchStore(table);
const outbox = dynamoOutboxStore(table);
const redeliveries = dynamoRedeliveries(table);
const deliveryLog = dynamoDeliveryLog(table);

afterAll(() => table.delete());

const NOW = timestamp(new Date());
const LATER = addSeconds(NOW, 30);

/** A finished batch's event, due now. */
async function dueEvent(): Promise<OutboxEvent> {
  const batchId = newBatchId(new Date());
  await batches.create(
    {
      batchId,
      tenant: 'farm',
      totalJobs: 1,
      model: null,
      webhook: { url: 'https://example.org/hook', secretCiphertext: null, jobs: 'full' },
      hectaresPerJob: 5_000,
      createdAt: NOW,
      updatedAt: NOW,
      resultsExpireAt: addSeconds(NOW, 86_400),
      state: { status: 'pending' },
    },
    null,
  );
  const event: OutboxEvent = {
    batchId,
    event: 'batch.completed',
    eventId: randomUUID(),
    state: 'due',
    attempts: 0,
    nextAttemptAt: NOW,
  };
  await batches.finish(batchId, { status: 'failed', completedAt: NOW }, event);
  return event;
}

function lease(until = LATER): Lease {
  return { id: randomUUID(), until };
}

function failed(attempt: number, nextAttemptAt: string | null): DeliveryAttempt {
  const reason = 'the receiver responded with 500: temporary';
  const common = { attempt, startedAt: NOW, durationMs: 12, bodyBytes: 842, nextAttemptAt };
  return { verdict: 'retry', statusCode: 500, reason, ...common };
}

async function isListed({ batchId }: OutboxEvent): Promise<boolean> {
  const hints = await everyOne(outbox.undelivered(addSeconds(NOW, 86_400), null));
  return hints.some((hint) => hint.batchId === batchId);
}

describe('an event in the outbox', () => {
  it('is claimed by one of many concurrent callers', async () => {
    const event = await dueEvent();
    const claims = Array.from({ length: 8 }, () => outbox.claim(event, lease(), NOW));
    const winners = (await Promise.all(claims)).filter((claim) => claim === 'changed');
    expect(winners).toHaveLength(1);
  });

  it('is not claimed before it is due', async () => {
    const event = await dueEvent();
    expect(await outbox.claim(event, lease(), addSeconds(NOW, -1))).toBe('unchanged');
  });

  it('can be claimed by another when the lease has expired, and then the first holder can’t settle it', async () => {
    const event = await dueEvent();
    const [first, second] = [lease(), lease(addSeconds(NOW, 60))];
    await outbox.claim(event, first, NOW);
    expect(await outbox.claim(event, second, addSeconds(LATER, -1))).toBe('unchanged');
    expect(await outbox.claim(event, second, LATER)).toBe('changed');
    const settled = { ...event, attempts: 1, state: 'acknowledged' } as const;
    expect(await outbox.settle(settled, first, failed(1, null))).toBe('unchanged');
    expect(await outbox.settle(settled, second, failed(1, null))).toBe('changed');
  });

  it('is released for its next attempt, with an entry in the delivery log', async () => {
    const event = await dueEvent();
    const mine = lease();
    await outbox.claim(event, mine, NOW);
    const next = addSeconds(NOW, 10);
    const settled: OutboxEvent = { ...event, attempts: 1, nextAttemptAt: next };
    expect(await outbox.settle(settled, mine, failed(1, next))).toBe('changed');
    expect(await outbox.read(event.batchId, event.event)).toEqual(settled);
    expect(await outbox.claim(event, lease(), next)).toBe('unchanged');
    expect(await outbox.claim(settled, lease(), next)).toBe('changed');
    const { Items } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :deliveries)',
        ExpressionAttributeValues: { ':pk': `BATCH#${event.batchId}`, ':deliveries': 'DELIVERY#' },
      }),
    );
    expect(Items).toMatchObject([
      { sk: 'DELIVERY#batch.completed#01', verdict: 'retry', status_code: 500, retry_at: next },
    ]);
  });

  it('can be released without counting an attempt', async () => {
    const event = await dueEvent();
    const mine = lease();
    await outbox.claim(event, mine, NOW);
    expect(await outbox.release(event, lease(), LATER)).toBe('unchanged');
    expect(await outbox.release(event, mine, LATER)).toBe('changed');
    const released = await outbox.read(event.batchId, event.event);
    expect(released).toEqual({ ...event, nextAttemptAt: LATER });
  });

  it.each(['acknowledged', 'permanent', 'exhausted'] as const)(
    'is listed as undelivered until it is %s',
    async (state) => {
      const event = await dueEvent();
      const mine = lease();
      expect(await isListed(event)).toBe(true);
      await outbox.claim(event, mine, NOW);
      await outbox.settle({ ...event, attempts: 1, state }, mine, failed(1, null));
      expect(await isListed(event)).toBe(false);
      expect(await outbox.claim({ ...event, attempts: 1 }, lease(), NOW)).toBe('unchanged');
    },
  );
});

describe('an event that is redelivered', () => {
  const redelivery = (event: OutboxEvent): OutboxEvent => ({
    ...event,
    eventId: randomUUID(),
    state: 'due',
    nextAttemptAt: NOW,
    redelivery: { number: 1, requestedAt: NOW, afterAttempts: event.attempts },
  });

  async function rejectedEvent(): Promise<OutboxEvent> {
    const event = await dueEvent();
    const mine = lease();
    await outbox.claim(event, mine, NOW);
    const settled: OutboxEvent = { ...event, attempts: 1, state: 'permanent' };
    await outbox.settle(settled, mine, failed(1, null));
    return settled;
  }

  it('is due again, listed, and claimed under its new id only', async () => {
    const event = await rejectedEvent();
    const again = redelivery(event);
    expect(await redeliveries.redeliver(event, again, NOW)).toBe('changed');
    expect(await outbox.read(event.batchId, event.event)).toEqual(again);
    expect(await isListed(event)).toBe(true);
    expect(await outbox.claim({ ...event, state: 'due' }, lease(), NOW)).toBe('unchanged');
    expect(await outbox.claim(again, lease(), NOW)).toBe('changed');
  });

  it('is redelivered once for many concurrent requests', async () => {
    const event = await rejectedEvent();
    const requests = Array.from({ length: 8 }, () =>
      redeliveries.redeliver(event, redelivery(event), NOW),
    );
    expect((await Promise.all(requests)).filter((result) => result === 'changed')).toHaveLength(1);
  });

  it('is not changed during an attempt; an expired lease has no effect', async () => {
    const event = await dueEvent();
    const mine = lease();
    await outbox.claim(event, mine, NOW);
    expect(await redeliveries.redeliver(event, redelivery(event), NOW)).toBe('unchanged');
    const again = redelivery(event);
    expect(await redeliveries.redeliver(event, again, LATER)).toBe('changed');
    const settled = { ...event, attempts: 1, state: 'acknowledged' } as const;
    expect(await outbox.settle(settled, mine, failed(1, null))).toBe('unchanged');
    expect(await outbox.read(event.batchId, event.event)).toEqual(again);
  });

  it('keeps all its attempts in one log, in order', async () => {
    const event = await rejectedEvent();
    const again = redelivery(event);
    await redeliveries.redeliver(event, again, NOW);
    const mine = lease();
    await outbox.claim(again, mine, NOW);
    await outbox.settle({ ...again, attempts: 2, state: 'exhausted' }, mine, failed(2, null));
    expect(await deliveryLog.attempts(event.batchId, event.event)).toEqual([
      { ...failed(1, null), eventId: event.eventId },
      { ...failed(2, null), eventId: again.eventId },
    ]);
  });
});

describe('the allowance of test webhooks', () => {
  it('is counted by tenant and minute, and never exceeded', async () => {
    const { take } = dynamoTestAllowance(table);
    const minute = NOW.slice(0, 16);
    const taken = await Promise.all(Array.from({ length: 8 }, () => take('farm', minute, 3)));
    expect(taken.filter((result) => result === 'taken')).toHaveLength(3);
    expect(await take('other', minute, 3)).toBe('taken');
    expect(await take('farm', addSeconds(NOW, 60).slice(0, 16), 3)).toBe('taken');
  });
});

describe('the body of an event in S3', () => {
  it('is the first one stored, for all readers', async () => {
    const credentials = ROOT_CREDENTIALS;
    const { endpoint_url: endpoint, region } = service;
    const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    const Bucket = `deliveries-${randomUUID()}`;
    await s3.send(new CreateBucketCommand({ Bucket }));
    const bodies = s3DeliveryBodies(s3, Bucket);
    const [batchId, eventId] = [newBatchId(new Date()), randomUUID()];
    expect(await bodies.read(batchId, eventId)).toBeNull();
    const kept = await Promise.all(
      ['one', 'two', 'three'].map((text) => bodies.keep(batchId, eventId, Buffer.from(text))),
    );
    const texts = new Set(kept.map((body) => Buffer.from(body).toString('utf8')));
    expect(texts.size).toBe(1);
    expect(await bodies.read(batchId, eventId)).toEqual(kept[0]);
    await s3.send(
      new DeleteObjectCommand({ Bucket, Key: `deliveries/${batchId}/${eventId}.json` }),
    );
    await s3.send(new DeleteBucketCommand({ Bucket }));
  });
});
