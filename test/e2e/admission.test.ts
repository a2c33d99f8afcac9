import { afterAll, describe, expect, inject, it } from 'vitest';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoIdempotencyKeys } from '../../lambdas/adapters/dynamodb/idempotency-keys.ts';
import { dynamoQuotas } from '../../lambdas/adapters/dynamodb/quotas.ts';
import { dynamoTenantRecords } from '../../lambdas/adapters/dynamodb/tenants.ts';
import { dayOf } from '../../lambdas/domain/admission/quota.ts';
import { type CreateBatchPorts, createBatch } from '../../lambdas/domain/batch/create-batch.ts';
import { packCatalogue } from '../../lambdas/model/pack/catalogue.ts';
import { httpClient } from './contract/http-client.ts';
import { createStateTable } from './state-table.ts';

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
  dispatch: async ({ batchId }) => {
    started.push(batchId);
  },
  webhookSecrets: { encrypt: async () => '' },
  catalogue: async () => packCatalogue([]),
  clock: table.clock,
  retentionDays: 1,
  onDispatchFailure: () => {},
};

/** Jobs without an area: only their number counts. */
function order(jobs: number) {
  const entry = { offset: 0, length: 1, name: null, year: 2020, model: null, polygon: {} };
  const entries = Array.from({ length: jobs }, () => entry);
  return {
    jobs: { text: new TextEncoder().encode('[]'), entries },
    metadata: null,
    model: null,
    webhook: null,
  };
}

const kinds = (creations: readonly { readonly kind: string }[]) => {
  const counts = new Map<string, number>();
  for (const { kind } of creations) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Object.fromEntries(counts);
};

describe('two hundred creations at once, at the edge of a quota', () => {
  it('let in exactly what fits', { timeout: 60_000 }, async () => {
    const createdAt = new Date().toISOString();
    const limits = { jobsPerDay: 100 };
    await tenants.create({ tenant: 'edge', createdAt, disabledAt: null, limits });
    const before = dayOf(new Date().toISOString());
    const creations = await Promise.all(
      Array.from({ length: 200 }, () => createBatch(ports, 'edge', order(3), null)),
    );
    expect(dayOf(new Date().toISOString()), 'midnight came in between').toBe(before);
    expect(kinds(creations)).toEqual({ created: 33, 'over-quota': 167 });
    expect((await quotas.use('edge', before)).used.jobs).toBe(99);
  });
});

describe('fifty equal creations at once, under one idempotency key', () => {
  it('make one batch and give it to all', { timeout: 60_000 }, async () => {
    const idempotency = { key: 'order-1', digest: 'd'.repeat(64) };
    const creations = await Promise.all(
      Array.from({ length: 50 }, () => createBatch(ports, 'equal', order(2), idempotency)),
    );
    expect(kinds(creations)).toEqual({ created: 1, repeated: 49 });
    const receipts = creations.map((creation) =>
      JSON.stringify('receipt' in creation && creation.receipt),
    );
    expect(new Set(receipts).size).toBe(1);
    expect((await quotas.use('equal', dayOf(new Date().toISOString()))).used.jobs).toBe(2);
  });
});

describe('a creation that died half-way', () => {
  const idempotency = { key: 'order-2', digest: 'e'.repeat(64) };
  const dying = (where: Partial<CreateBatchPorts>) =>
    createBatch({ ...ports, ...where }, 'unlucky', order(2), idempotency);
  const gone = async () => {
    throw new Error('the function is gone');
  };

  it('is taken up by its repeat: made once, counted once, started in the end', async () => {
    const beforeText = dying({ jobRequests: { write: gone } });
    await expect(beforeText).rejects.toThrow(/gone/);
    const beforeTransaction = dying({ batches: { ...ports.batches, create: gone } });
    await expect(beforeTransaction).rejects.toThrow(/gone/);
    const before = started.length;
    const unstarted = await dying({ dispatch: gone });
    expect(unstarted.kind).toBe('created');
    expect(started).toHaveLength(before);
    const repeat = await createBatch(ports, 'unlucky', order(2), idempotency);
    expect(repeat.kind).toBe('repeated');
    if (!('receipt' in repeat) || !('receipt' in unstarted)) throw new Error('no receipt');
    expect(repeat.receipt).toEqual(unstarted.receipt);
    expect(started.slice(before)).toEqual([repeat.receipt.batchId]);
    expect((await quotas.use('unlucky', dayOf(new Date().toISOString()))).used.jobs).toBe(2);
  });
});

describe('the deployed service', () => {
  const call = httpClient(service.v1_url, service.other_tenant_api_key);
  const body = JSON.stringify({ jobs: [{ polygon: { type: 'Polygon' }, year: 2020 }] });

  it('repeats a creation, refuses another under its key, and counts it once', async () => {
    const headers = { 'idempotency-key': `order-${Date.now()}` };
    const used = async () => {
      const { json } = await call('/v1/usage');
      return (json as { jobs: { used: number } }).jobs.used;
    };
    const before = await used();
    const first = await call('/v1/batch', { body, headers });
    expect(first.status, first.text).toBe(202);
    expect(first.headers.get('x-ratelimit-remaining-jobs')).toBe(String(1_000 - before - 1));
    const again = await call('/v1/batch', { body, headers });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await call('/v1/batch', { body: `${body} `, headers });
    expect(other.status).toBe(409);
    expect(other.text).toContain((first.json as { batch_id: string }).batch_id);
    expect(await used()).toBe(before + 1);
  });

  it('makes one batch of fifty equal creations at once, and gives all of them the same bytes', async () => {
    const headers = { 'idempotency-key': `rush-${Date.now()}` };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => call('/v1/batch', { body, headers })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const first = answers.filter((answer) => answer.headers.get('idempotent-replayed') === null);
    expect(first).toHaveLength(1);
  });
});
