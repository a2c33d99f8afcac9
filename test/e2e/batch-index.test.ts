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

/** Creates batches so many milliseconds after now; some at the same time. */
async function createAt(tenant: string, ...moments: readonly number[]): Promise<readonly string[]> {
  const start = Date.now();
  const ids: string[] = [];
  for (const moment of moments) {
    const batch = aBatch({ tenant }, new Date(start + moment));
    await batches.create(batch, null);
    ids.push(batch.batchId);
  }
  return ids;
}

async function readAll(tenant: string, count: number, betweenPages = async () => {}) {
  const positions: BatchPosition[] = [];
  for (;;) {
    const page = await index.newestAfter(tenant, positions.at(-1) ?? null, count);
    positions.push(...page);
    if (page.length < count) return positions;
    await betweenPages();
  }
}

describe('reading the index of a tenant’s batches page by page', () => {
  it.each([1, 2, 3, 100])('returns each once, newest first, %i per page', async (count) => {
    const tenant = `reader-${count}`;
    const ids = await createAt(tenant, 0, 5, 5, 5, 9, 2);
    await createAt('somebody-else', 3);
    const positions = await readAll(tenant, count);
    expect(positions.map(({ batchId }) => batchId).toSorted()).toEqual(ids.toSorted());
    const times = positions.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('is not affected by batches that are created or finish meanwhile', async () => {
    const tenant = 'undisturbed';
    const ids = await createAt(tenant, 0, 1, 2, 3, 4);
    const positions = await readAll(tenant, 2, async () => {
      await createAt(tenant, 60_000);
      const outcome = { status: 'failed', completedAt: new Date().toISOString() } as const;
      await batches.finish(ids[0] ?? '', outcome, null);
    });
    expect(positions.map(({ batchId }) => batchId)).toEqual(ids.toReversed());
  });

  it('returns nothing for a tenant without batches', async () => {
    expect(await index.newestAfter('nobody', null, 10)).toEqual([]);
  });
});
