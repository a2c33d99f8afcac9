import { afterAll, describe, expect, inject, it } from 'vitest';
import { dynamoBatchIndex } from '../../lambdas/adapters/dynamodb/batch-index.ts';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import type { BatchPosition, CreatedBetween } from '../../lambdas/domain/batch/batch.ts';
import { createStateTable } from '../support/deployed/state-table.ts';
import { aBatch } from '../support/domain/builders.ts';

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

async function readAll(
  tenant: string,
  count: number,
  created: CreatedBetween = {},
  betweenPages = async () => {},
) {
  const positions: BatchPosition[] = [];
  for (;;) {
    const page = await index.newestAfter(tenant, created, positions.at(-1) ?? null, count);
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
    const positions = await readAll(tenant, 2, {}, async () => {
      await createAt(tenant, 60_000);
      const outcome = { status: 'failed', completedAt: new Date().toISOString() } as const;
      await batches.finish(ids[0] ?? '', outcome, null);
    });
    expect(positions.map(({ batchId }) => batchId)).toEqual(ids.toReversed());
  });

  it('stays within the times of creation, in pages of any size', async () => {
    const tenant = 'within';
    const ids = await createAt(tenant, 0, 1, 2, 3, 4);
    const times = await Promise.all(ids.map(async (id) => (await batches.read(id))?.createdAt));
    const at = (position: number) => times[position] ?? '';
    for (const [created, expected] of [
      [{ from: at(1), before: at(4) }, ids.slice(1, 4)],
      [{ from: at(3) }, ids.slice(3)],
      [{ before: at(2) }, ids.slice(0, 2)],
      [{ from: at(2), before: at(3) }, ids.slice(2, 3)],
    ] as const) {
      for (const count of [1, 2, 10]) {
        const positions = await readAll(tenant, count, created);
        expect(positions.map(({ batchId }) => batchId)).toEqual(expected.toReversed());
      }
    }
  });

  it('returns nothing for a tenant without batches', async () => {
    expect(await index.newestAfter('nobody', {}, null, 10)).toEqual([]);
  });
});
