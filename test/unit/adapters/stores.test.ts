import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { dynamoBatchStore } from '../../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoSlots } from '../../../lambdas/adapters/dynamodb/slots.ts';
import { dynamoStores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import type { Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';
import { AT } from '../../support/domain/begun-batch.ts';
import { aBatch, anEnd } from '../../support/domain/builders.ts';
import { storesContract } from '../../support/stores/stores-contract.ts';

const table = inMemoryTable(() => new Date());

storesContract('memory', dynamoStores(table), 100);

describe('a batch that ends', () => {
  const SLOT = { ofAll: 9_000, ofTenant: 0 };
  const end = anEnd('failed', AT);

  const heldBy = async (batchId: string) =>
    (await dynamoSlots(table).readHeld()).filter((slot) => slot.batchId === batchId);

  function readThen(then: () => Promise<unknown>): Table {
    let happened = false;
    const send = async (command: GetCommand) => {
      const result = await table.client.send(command);
      if (command instanceof GetCommand && !happened) {
        happened = true;
        await then();
      }
      return result;
    };
    return { ...table, client: { send } as unknown as Table['client'] };
  }

  it('releases even a slot that it got after the ending step had read the batch', async () => {
    const batch = aBatch({ tenant: 'slot-after-read' });
    await dynamoBatchStore(table).create(batch, null);
    const racing = readThen(async () => {
      expect(await dynamoSlots(table).claim(batch, SLOT, AT)).toBe('claimed');
    });
    expect(await dynamoBatchStore(racing).finish(batch.batch_id, end, null)).toBe('finished');
    expect(await heldBy(batch.batch_id)).toEqual([]);
  });
});
