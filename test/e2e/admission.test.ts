import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { createPackCatalogue } from '../../engine/model/pack/catalogue.ts';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoIdempotencyKeys, dynamoQuotas } from '../../lambdas/adapters/dynamodb/charges.ts';
import { dynamoTenantRecords } from '../../lambdas/adapters/dynamodb/tenants.ts';
import type { Idempotency } from '../../lambdas/domain/admission/idempotency.ts';
import { dayOf } from '../../lambdas/domain/admission/quota.ts';
import { paceOf } from '../../lambdas/domain/admission/request-rate.ts';
import {
  type CreateBatchPorts,
  type Creation,
  createBatch,
} from '../../lambdas/domain/batch/create-batch.ts';
import { readCreationContext } from '../../lambdas/domain/batch/creation-context.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import type { TenantLimits } from '../../lambdas/domain/tenant/tenant.ts';
import { withDefaults } from '../../local/in-memory/files.ts';
import { httpClient } from '../support/api/http-client.ts';
import { newTenant } from '../support/deployed/new-tenant.ts';
import { createStateTable } from '../support/deployed/state-table.ts';

const service = inject('service');
const table = await createStateTable(service.endpoint_url, service.region);
afterAll(() => table.delete());

const started: string[] = [];
const tenants = dynamoTenantRecords(table);
const quotas = dynamoQuotas(table);
const ports: CreateBatchPorts = {
  batches: dynamoBatchStore(table),
  tenants,
  quotas,
  idempotencyKeys: dynamoIdempotencyKeys(table),
  jobRequests: { write: async () => undefined },
  dispatch: async ({ batch_id: batchId }) => {
    started.push(batchId);
  },
  webhookSecrets: { encrypt: async () => '' },
  destinationCheck: { checkDestination: async () => null },
  catalogue: async () => createPackCatalogue([]),
  clock: table.clock,
  retentionDays: 1,
  onDispatchFailure: () => {},
};

const BODY = JSON.stringify({ jobs: [{ polygon: { type: 'Polygon' }, year: 2020 }] });

function makeOrder(jobs: number) {
  const job = withDefaults({ polygon: {}, year: 2020 });
  return {
    jobs: Array.from({ length: jobs }, () => job),
    name: null,
    metadata: null,
    model: null,
    webhook: null,
    destination: null,
  };
}

async function createAsApi(
  creationPorts: CreateBatchPorts,
  tenant: string,
  jobs: number,
  idempotency: Idempotency | null,
): Promise<Creation> {
  const context = await readCreationContext(creationPorts, tenant, idempotency?.key ?? null);
  return createBatch(creationPorts, context, makeOrder(jobs), idempotency);
}

const kinds = (creations: readonly { readonly kind: string }[]) => {
  const counts = new Map<string, number>();
  for (const { kind } of creations) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Object.fromEntries(counts);
};

describe('two hundred concurrent creations at the limit of a quota', () => {
  it('create as many batches as fit into the quota', async () => {
    const createdAt = new Date().toISOString();
    const limits = { jobsPerDay: 100 };
    await tenants.create({ tenant: 'edge', createdAt, disabledAt: null, limits });
    const before = dayOf(new Date().toISOString());
    const creations = await Promise.all(
      Array.from({ length: 200 }, () => createAsApi(ports, 'edge', 3, null)),
    );
    expect(dayOf(new Date().toISOString()), 'the day has changed').toBe(before);
    expect(kinds(creations)).toEqual({ created: 33, 'over-quota': 167 });
    expect((await quotas.use('edge', before)).used.jobs).toBe(99);
  });
});

describe('fifty concurrent creations with the same body and idempotency key', () => {
  it('create one batch and return it to all', async () => {
    const idempotency = { key: 'order-1', digest: 'd'.repeat(64) };
    const creations = await Promise.all(
      Array.from({ length: 50 }, () => createAsApi(ports, 'equal', 2, idempotency)),
    );
    expect(kinds(creations)).toEqual({ created: 1, repeated: 49 });
    const receipts = creations.map((creation) =>
      JSON.stringify('receipt' in creation && creation.receipt),
    );
    expect(new Set(receipts).size).toBe(1);
    expect((await quotas.use('equal', dayOf(new Date().toISOString()))).used.jobs).toBe(2);
  });
});

describe('a creation whose function crashed', () => {
  const idempotency = { key: 'order-2', digest: 'e'.repeat(64) };
  const createWith = (crashing: Partial<CreateBatchPorts>) =>
    createAsApi({ ...ports, ...crashing }, 'unlucky', 2, idempotency);
  const crash = async () => {
    throw new Error('the function crashed');
  };

  it('is continued when repeated, and its batch is created once, charged once and started', async () => {
    const beforeText = createWith({ jobRequests: { write: crash } });
    await expect(beforeText).rejects.toThrow(/crashed/);
    const beforeTransaction = createWith({ batches: { ...ports.batches, create: crash } });
    await expect(beforeTransaction).rejects.toThrow(/crashed/);
    const before = started.length;
    const unstarted = await createWith({ dispatch: crash });
    expect(unstarted.kind).toBe('created');
    expect(started).toHaveLength(before);
    const repeat = await createAsApi(ports, 'unlucky', 2, idempotency);
    expect(repeat.kind).toBe('repeated');
    if (!('receipt' in repeat) || !('receipt' in unstarted)) throw new Error('no receipt');
    expect(repeat.receipt).toEqual(unstarted.receipt);
    expect(started.slice(before)).toEqual([repeat.receipt.batch_id]);
    expect((await quotas.use('unlucky', dayOf(new Date().toISOString()))).used.jobs).toBe(2);
  });
});

describe('a body that takes much CPU time', () => {
  /** A polygon that takes long to validate, because its edges overlap in longitude. */
  const ring = [...Array.from({ length: 997 }, (_, i) => [i % 2, i / 100]), [-1, 0], [0, 0]];
  const job = { polygon: { type: 'Polygon', coordinates: [ring] }, year: 1 };
  const bodyOf = (jobs: number) =>
    new Uint8Array(gzipSync(JSON.stringify({ jobs: Array.from({ length: jobs }, () => job) })));

  const GZIP = { 'content-encoding': 'gzip' };

  const clientOf = async (name: string, limits: Partial<TenantLimits>) =>
    httpClient(service.v2_url, await newTenant(name, limits));

  it('is rejected unread when the quota is used up, but a repeated request still succeeds', async () => {
    const call = await clientOf('used-up', { jobsPerDay: 1 });
    const first = { body: BODY, headers: { 'idempotency-key': 'first' } };
    const created = await call('/v1/batch', first);
    expect(created.status, created.text).toBe(202);
    const damaged = bodyOf(448).subarray(0, 1_000);
    for (const body of [bodyOf(448), damaged]) {
      const rejected = await call('/v1/batch', { body, headers: GZIP });
      expect(rejected.status, rejected.text).toBe(429);
      expect(rejected.text).toContain('quota-exceeded');
      expect(rejected.headers.get('x-ratelimit-remaining-jobs')).toBe('0');
    }
    const repeat = await call('/v1/batch', first);
    expect([repeat.status, repeat.text]).toEqual([202, created.text]);
  });

  it('counts more towards the request rate if it is large, even if it is parsed quickly', async () => {
    // The limit allows five requests at once, then one every two seconds; a large body counts as three requests.
    const requestsPerMinute = 30;
    const { intervalMs, burstMs } = paceOf(requestsPerMinute);
    const sendFive = async (name: string, text: string) => {
      const call = await clientOf(name, { requestsPerMinute });
      const body = new Uint8Array(gzipSync(text));
      const startedAt = Date.now();
      const responses = await Promise.all(
        Array.from({ length: 5 }, () => call('/v1/batch', { body, headers: GZIP })),
      );
      return { responses, elapsedMs: Date.now() - startedAt };
    };
    const small = await sendFive('light', BODY);
    expect(small.responses.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    // Blanks are parsed quickly, so the five requests overlap.
    const { responses, elapsedMs } = await sendFive('heavy', BODY.padEnd(LIMITS.bodyBytes));
    const admitted = responses.filter(({ status }) => status === 202);
    const throttled = responses.filter(({ status }) => status === 429);
    expect(admitted.length + throttled.length).toBe(5);
    expect(admitted.length).toBeLessThanOrEqual(
      1 + (burstMs - intervalMs + elapsedMs) / (3 * intervalMs),
    );
    for (const { headers, text } of throttled) {
      expect(text).toContain('throttled');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
  });
});

describe('the deployed service', async () => {
  const call = httpClient(service.v1_url, await newTenant('replayed'));
  const body = BODY;

  it('replays a creation, rejects another body with the same key, and charges once', async () => {
    const headers = { 'idempotency-key': `order-${Date.now()}` };
    const used = async () => {
      const { json } = await call('/v1/usage');
      return (json as { jobs: { used: number } }).jobs.used;
    };
    const before = await used();
    const first = await call('/v1/batch', { body, headers });
    expect(first.status, first.text).toBe(202);
    expect(first.headers.get('x-ratelimit-remaining-jobs')).toBe(
      String(LIMITS.jobsPerDay - before - 1),
    );
    const again = await call('/v1/batch', { body, headers });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await call('/v1/batch', { body: `${body} `, headers });
    expect(other.status).toBe(409);
    expect(other.text).toContain((first.json as { batch_id: string }).batch_id);
    expect(await used()).toBe(before + 1);
  });

  it('creates one batch for fifty concurrent equal requests, with byte-identical responses', async () => {
    const headers = { 'idempotency-key': `rush-${Date.now()}` };
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => call('/v1/batch', { body, headers })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const first = responses.filter(
      (response) => response.headers.get('idempotent-replayed') === null,
    );
    expect(first).toHaveLength(1);
  });
});
