import { afterAll, describe, expect, inject, it } from 'vitest';
import { dynamoBatchIndex } from '../../lambdas/adapters/dynamodb/batch-index.ts';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import type { BatchPosition } from '../../lambdas/domain/batch/batch-index.ts';
import { aBatch } from '../unit/domain/builders.ts';
import { createStateTable } from './state-table.ts';

const service = inject('service');
const table = await createStateTable(service.endpoint_url, service.region);
const batches = dynamoBatchStore(table);
const index = dynamoBatchIndex(table);

afterAll(() => table.delete());

/** Made so many milliseconds after another; some share a moment. */
async function made(tenant: string, ...moments: readonly number[]): Promise<readonly string[]> {
  const start = Date.now();
  const ids: string[] = [];
  for (const moment of moments) {
    const batch = aBatch({ tenant }, new Date(start + moment));
    await batches.create(batch, null);
    ids.push(batch.batchId);
  }
  return ids;
}

async function walked(tenant: string, count: number, betweenPages = async () => {}) {
  const places: BatchPosition[] = [];
  for (;;) {
    const page = await index.newestAfter(tenant, places.at(-1) ?? null, count);
    places.push(...page);
    if (page.length < count) return places;
    await betweenPages();
  }
}

describe('a walk along the index of a tenant’s batches', () => {
  it.each([1, 2, 3, 100])('meets each once, newest first, %i at a time', async (count) => {
    const tenant = `walker-${count}`;
    const ids = await made(tenant, 0, 5, 5, 5, 9, 2);
    await made('somebody-else', 3);
    const places = await walked(tenant, count);
    expect(places.map(({ batchId }) => batchId).toSorted()).toEqual(ids.toSorted());
    const times = places.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('is not disturbed by batches that come or finish meanwhile', async () => {
    const tenant = 'undisturbed';
    const ids = await made(tenant, 0, 1, 2, 3, 4);
    const places = await walked(tenant, 2, async () => {
      await made(tenant, 60_000);
      const outcome = { status: 'failed', completedAt: new Date().toISOString() } as const;
      await batches.finish(ids[0] ?? '', outcome, null);
    });
    expect(places.map(({ batchId }) => batchId)).toEqual(ids.toReversed());
  });

  it('finds nothing for who has none', async () => {
    expect(await index.newestAfter('nobody', null, 10)).toEqual([]);
  });
});
