import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { batchStatusResponse } from '../../../lambdas/api/operations/batch-status.ts';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { batchListResponse } from '../../../lambdas/api/operations/list-batches.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import type { Batch } from '../../../lambdas/domain/batch/batch.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { completedJob, failedJob } from '../../support/api/job-records.ts';
import {
  creationBody,
  inMemoryService,
  job,
  LATER,
  statusCall,
} from '../../support/api/service.ts';
import { NOW } from '../../support/api/written-stores.ts';
import { aBatch } from '../../support/domain/builders.ts';

type Service = ReturnType<typeof inMemoryService>;
type Query = Readonly<Record<string, string>>;

async function requestPage(service: Service, query: Query, tenant = 'alpha') {
  const response = await service.list({ query, tenant });
  expect(response.status, response.text).toBe(200);
  return batchListResponse.parse(response.body);
}

const idsOf = ({ batches }: z.infer<typeof batchListResponse>) =>
  batches.map(({ batch_id }) => batch_id);

async function storeBatch(
  service: Service,
  agoMs: number,
  end: typeof PENDING | typeof COMPLETED,
  tenant = 'alpha',
  changes: Partial<Pick<Batch, 'name' | 'total_jobs'>> = {},
  metadata: string | null = null,
) {
  const batch = aBatch({ tenant, ...end, ...changes }, new Date(NOW.getTime() - agoMs));
  await service.storeBatch(batch, metadata);
  return batch.batch_id;
}

const PENDING = { status: 'pending', started_at: null } as const;
const COMPLETED = {
  status: 'completed',
  started_at: LATER,
  completed_at: LATER,
  completed_jobs: 1,
} as const;

describe('the list of batches', () => {
  it('has the status of each batch without its jobs, newest first', async () => {
    const service = inMemoryService();
    const created = async (name: string) => {
      service.time.now = new Date(service.time.now.getTime() + 1_000);
      const body = creationBody({ jobs: [job(), job()], metadata: { name } });
      return creationResponse.parse((await service.create({ body })).body).batch_id;
    };
    const [first, second] = [await created('first'), await created('second')];
    await service.storeJob(first, completedJob(0));
    await service.storeJob(first, failedJob(1));
    const list = await requestPage(service, {});
    expect(list).toMatchObject({ has_more: false, next_cursor: null });
    expect(idsOf(list)).toEqual([second, first]);
    for (const batch of list.batches) {
      const status = await service.batchStatus(statusCall(batch.batch_id, { jobs: 'none' }));
      expect(batch).toEqual(batchStatusResponse.parse(status.body));
    }
    expect(list.batches[0]?.metadata).toEqual({ name: 'second' });
    expect(list.batches[1]).toMatchObject({ completed_jobs: 1, failed_jobs: 1, jobs: [] });
  });

  it('omits foreign and expired batches', async () => {
    const service = inMemoryService();
    await storeBatch(service, 1, PENDING, 'beta');
    await storeBatch(service, 31 * 86_400_000, COMPLETED);
    const mine = await storeBatch(service, 2, PENDING);
    expect(idsOf(await requestPage(service, {}))).toEqual([mine]);
    expect(await requestPage(service, {}, 'gamma')).toEqual({
      batches: [],
      has_more: false,
      next_cursor: null,
    });
  });

  it('has 20 batches a page by default, and can be filtered by status', async () => {
    const service = inMemoryService();
    for (let ago = 0; ago < 50; ago++)
      await storeBatch(service, ago, ago % 5 === 0 ? COMPLETED : PENDING);
    expect((await requestPage(service, {})).batches).toHaveLength(20);
    const completed = await requestPage(service, { status: 'completed' });
    expect(completed.batches.map(({ status }) => status)).toEqual(Array(10).fill('completed'));
    expect(completed.has_more).toBe(false);
  });

  it('can be filtered by creation time, from `created_after` up to but excluding `created_before`', async () => {
    const service = inMemoryService();
    const at = (agoMs: number) => new Date(NOW.getTime() - agoMs).toISOString();
    const ids = await Promise.all(
      Array.from({ length: 5 }, (_, ago) => storeBatch(service, ago, PENDING)),
    );
    const listed = async (query: Query) =>
      idsOf(await requestPage(service, query)).map((id) => ids.indexOf(id));
    expect(await listed({ created_after: at(3), created_before: at(1) })).toEqual([2, 3]);
    expect(await listed({ created_after: at(3) })).toEqual([0, 1, 2, 3]);
    expect(await listed({ created_before: at(3) })).toEqual([4]);
    const offset = at(1).replace('T05:', 'T07:').replace('Z', '+02:00');
    expect(await listed({ created_after: offset })).toEqual([0, 1]);
  });

  it('can be filtered by the exact name, which is also in the status', async () => {
    const service = inMemoryService();
    const named = creationBody({ name: 'Äcker 2026' });
    const { batch_id } = creationResponse.parse((await service.create({ body: named })).body);
    await service.create({ body: creationBody({ name: 'Äcker' }) });
    await service.create({ body: creationBody() });
    const list = await requestPage(service, { name: 'Äcker 2026' });
    expect(list.batches).toMatchObject([{ batch_id, name: 'Äcker 2026' }]);
    const { body } = await service.batchStatus(statusCall(batch_id));
    expect(batchStatusResponse.parse(body).name).toBe('Äcker 2026');
    expect((await requestPage(service, { name: 'äcker 2026' })).batches).toEqual([]);
    expect((await requestPage(service, {})).batches.map(({ name }) => name)).toContain(null);
  });

  it('gets 304 while it is unchanged', async () => {
    const service = inMemoryService();
    await storeBatch(service, 1, COMPLETED);
    const { headers } = await service.list();
    const kept = { 'If-None-Match': String(headers['ETag']) };
    expect(await service.list({ headers: kept })).toMatchObject({ status: 304, text: '' });
  });

  it('ends a page early when metadata would exceed the response size, and continues on the next page', async () => {
    const service = inMemoryService();
    const metadata = JSON.stringify({ text: 'x'.repeat(65_000) });
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_, ago) =>
        storeBatch(service, ago, PENDING, 'alpha', {}, metadata),
      ),
    );
    const first = await service.list({ query: { limit: '100' } });
    expect(first.text.length).toBeLessThan(3_000_000);
    const page = batchListResponse.parse(first.body);
    expect(page.has_more).toBe(true);
    const rest = await requestPage(service, { cursor: String(page.next_cursor) });
    expect([...idsOf(page), ...idsOf(rest)]).toEqual(ids);
  });

  it('ends a page before it would count too many jobs, and continues on the next page', async () => {
    const service = inMemoryService();
    const sizes = [...Array.from({ length: 19 }, () => 999), 1_000, 1, 1_000];
    const ids = await Promise.all(
      sizes.map((totalJobs, ago) =>
        storeBatch(service, ago, PENDING, 'alpha', { total_jobs: totalJobs }),
      ),
    );
    const listed: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await requestPage(service, cursor === '' ? { limit: '100' } : { cursor });
      const jobs = page.batches.reduce((sum, { total_jobs }) => sum + total_jobs, 0);
      expect(jobs).toBeLessThanOrEqual(LIMITS.listing.jobsCounted);
      listed.push(...idsOf(page));
      cursor = page.next_cursor;
    }
    expect(listed).toEqual(ids);
  });

  it('reads batches, metadata and recent times once, and no jobs of finished batches', async () => {
    const service = inMemoryService();
    for (let ago = 0; ago < 100; ago++) {
      await storeBatch(service, ago, COMPLETED, 'alpha', { total_jobs: LIMITS.jobsPerBatch });
    }
    const { batches } = await requestPage(service, { limit: '100' });
    expect(batches).toHaveLength(100);
    expect(batches[0]).toMatchObject({ completed_jobs: 1, failed_jobs: 999, progress: 1 });
    expect(service.reads.count).toBe(3);
  });
});

describe('paging through the list', () => {
  const change = fc.oneof(
    fc.record({ kind: fc.constant('new' as const) }),
    fc.record({ kind: fc.constant('finish' as const), which: fc.nat() }),
  );

  it('returns exactly once each batch that matches the whole time, even if batches are created or finish meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        // Batches may be created in the same millisecond.
        fc.array(fc.record({ ago: fc.nat(20), done: fc.boolean() }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 15 }),
        fc.constantFrom<Query>(
          {},
          { status: 'pending' },
          { status: 'completed' },
          { name: 'a', created_after: new Date(NOW.getTime() - 12).toISOString() },
          { created_before: new Date(NOW.getTime() - 5).toISOString(), status: 'pending' },
        ),
        fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }),
        async (made, limit, filter, changes) => {
          const service = inMemoryService();
          const before = await Promise.all(
            made.map(({ ago, done }, index) =>
              storeBatch(service, ago, done ? COMPLETED : PENDING, 'alpha', {
                name: index % 2 ? 'a' : 'b',
              }),
            ),
          );
          const matching = async () => {
            const read = await Promise.all(before.map((id) => service.storedBatch(id)));
            return read
              .map(({ batch }) => batch)
              .filter(matches)
              .map(({ batch_id: batchId }) => batchId);
          };
          const matches = (batch: Batch) =>
            (filter['status'] ?? batch.status) === batch.status &&
            (filter['name'] ?? batch.name) === batch.name &&
            (filter['created_after'] ?? '') <= batch.created_at &&
            batch.created_at < (filter['created_before'] ?? '~');
          const matched = await matching();
          const seen: string[] = [];
          let query: Query = { ...filter, limit: String(limit) };
          for (let pages = 0; ; pages++) {
            const page = await requestPage(service, query);
            expect(page.batches.length).toBeLessThanOrEqual(limit);
            seen.push(...idsOf(page));
            if (page.next_cursor === null) break;
            expect(pages, 'no page after the last batch').toBeLessThan(100);
            query = { ...filter, cursor: page.next_cursor };
            for (const each of changes[pages] ?? []) await applyChange(service, each, before);
          }
          expect(new Set(seen).size).toBe(seen.length);
          const still = new Set(await matching());
          expect(seen).toEqual(expect.arrayContaining(matched.filter((id) => still.has(id))));
          const read = await Promise.all(seen.map((id) => service.storedBatch(id)));
          const times = read.map(({ batch }) => batch.created_at);
          expect(times).toEqual(times.toSorted().reverse());
          if (filter['status'] === undefined) expect(seen.toSorted()).toEqual(matched.toSorted());
        },
      ),
      { numRuns: 60 },
    );
  });

  type Change = { readonly kind: 'new' } | { readonly kind: 'finish'; readonly which: number };

  async function applyChange(
    service: Service,
    each: Change,
    before: readonly string[],
  ): Promise<void> {
    if (each.kind === 'new') {
      await storeBatch(service, -1, PENDING);
      return;
    }
    const id = before[each.which % before.length];
    if (id !== undefined) await service.changeBatch(id, COMPLETED);
  }
});

describe('a cursor of the list', () => {
  it('is invalid for another tenant, filter or page size, or if it was changed', async () => {
    const service = inMemoryService();
    for (let ago = 0; ago < 5; ago++) await storeBatch(service, ago, PENDING);
    const cursor = String((await requestPage(service, { limit: '2' })).next_cursor);
    expect((await requestPage(service, { cursor, limit: '2' })).batches).toHaveLength(2);
    const other = cursor.startsWith('A') ? `B${cursor.slice(1)}` : `A${cursor.slice(1)}`;
    for (const [query, tenant] of [
      [{ cursor }, 'beta'],
      [{ cursor, status: 'pending' }, 'alpha'],
      [{ cursor, name: 'a' }, 'alpha'],
      [{ cursor, created_after: '2026-01-01T00:00:00Z' }, 'alpha'],
      [{ cursor, created_before: '2027-01-01T00:00:00Z' }, 'alpha'],
      [{ cursor, limit: '3' }, 'alpha'],
      [{ cursor: other }, 'alpha'],
    ] as const) {
      const response = await service.list({ query, tenant });
      expect(response.status).toBe(400);
      expect(problemBody.parse(response.body).type).toMatch(/cursor-invalid$/);
    }
  });
});

describe('a query of the list', () => {
  it.each([
    [{ limit: '0' }, 'limit'],
    [{ limit: '101' }, 'limit'],
    [{ status: 'done' }, 'status'],
    [{ jobs: 'none' }, 'jobs'],
    [{ created_after: '2026-03-01' }, 'created_after'],
    [{ created_after: '2026-02-30T00:00:00Z' }, 'created_after'],
    [{ created_after: '2026-03-01T00:00:00 02:00' }, 'created_after'],
    [{ created_before: '9999-12-31T23:59:59-01:00' }, 'created_before'],
    [
      { created_after: '2026-03-02T00:00:00Z', created_before: '2026-03-02T01:00:00+01:00' },
      'created_before',
    ],
    [{ name: 'a'.repeat(256) }, 'name'],
  ])('is rejected with the name of its invalid parameter: %o', async (query, name) => {
    const response = await inMemoryService().list({ query });
    expect(response.status).toBe(400);
    expect(problemBody.parse(response.body).errors?.[0]?.pointer).toBe(`/${name}`);
  });
});
