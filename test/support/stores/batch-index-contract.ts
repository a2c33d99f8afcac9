import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type {
  BatchIndex,
  BatchPosition,
  BatchStore,
  CreatedBetween,
} from '../../../lambdas/domain/batch/batch.ts';
import { aBatch, anEnd } from '../domain/builders.ts';

interface IndexedStores {
  readonly batches: BatchStore;
  readonly batchIndex: BatchIndex;
}

const aTenant = () => `tenant-${randomUUID()}`;

/** Creates a batch for each of these moments, in milliseconds from now; moments may repeat. */
async function createAt(
  { batches }: IndexedStores,
  tenant: string,
  ...moments: readonly number[]
): Promise<readonly string[]> {
  const start = Date.now();
  const ids: string[] = [];
  for (const moment of moments) {
    const batch = aBatch({ tenant }, new Date(start + moment));
    await batches.create(batch, null);
    ids.push(batch.batch_id);
  }
  return ids;
}

async function readAll(
  { batchIndex }: IndexedStores,
  tenant: string,
  count: number,
  created: CreatedBetween = {},
  betweenPages = async () => {},
) {
  const positions: BatchPosition[] = [];
  for (;;) {
    const page = await batchIndex.newestAfter(tenant, created, positions.at(-1) ?? null, count);
    positions.push(...page);
    if (page.length < count) return positions;
    await betweenPages();
  }
}

export function batchIndexContract(name: string, open: () => IndexedStores): void {
  describe(`reading the index of a tenant’s batches page by page in ${name}`, () => {
    it.each([1, 2, 3, 100])('returns each batch once, newest first, %i per page', async (count) => {
      const stores = open();
      const tenant = aTenant();
      const ids = await createAt(stores, tenant, 0, 5, 5, 5, 9, 2);
      await createAt(stores, aTenant(), 3);
      const positions = await readAll(stores, tenant, count);
      expect(positions.map(({ batchId }) => batchId).toSorted()).toEqual(ids.toSorted());
      const times = positions.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted().reverse());
    });

    it('is not affected by batches that are created or finished meanwhile', async () => {
      const stores = open();
      const tenant = aTenant();
      const ids = await createAt(stores, tenant, 0, 1, 2, 3, 4);
      const positions = await readAll(stores, tenant, 2, {}, async () => {
        await createAt(stores, tenant, 60_000);
        const outcome = anEnd('failed', new Date().toISOString());
        await stores.batches.finish(ids[0] ?? '', outcome, null);
      });
      expect(positions.map(({ batchId }) => batchId)).toEqual(ids.toReversed());
    });

    it('stays within the requested creation times, in pages of any size', async () => {
      const stores = open();
      const tenant = aTenant();
      const ids = await createAt(stores, tenant, 0, 1, 2, 3, 4);
      const times = await Promise.all(
        ids.map(async (id) => (await stores.batches.readBatch(id))?.created_at),
      );
      const at = (position: number) => times[position] ?? '';
      for (const [created, expected] of [
        [{ from: at(1), before: at(4) }, ids.slice(1, 4)],
        [{ from: at(3) }, ids.slice(3)],
        [{ before: at(2) }, ids.slice(0, 2)],
        [{ from: at(2), before: at(3) }, ids.slice(2, 3)],
      ] as const) {
        for (const count of [1, 2, 10]) {
          const positions = await readAll(stores, tenant, count, created);
          expect(positions.map(({ batchId }) => batchId)).toEqual(expected.toReversed());
        }
      }
    });

    it('returns nothing for a tenant without batches', async () => {
      expect(await open().batchIndex.newestAfter(aTenant(), {}, null, 10)).toEqual([]);
    });
  });
}
