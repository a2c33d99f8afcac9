import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, it } from 'vitest';
import { dynamoBatchIndex } from '../../../lambdas/adapters/dynamodb/batch-index.ts';
import { dynamoBatchQueue } from '../../../lambdas/adapters/dynamodb/batch-queue.ts';
import { dynamoBatchStore } from '../../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoBusOutbox } from '../../../lambdas/adapters/dynamodb/bus-outbox.ts';
import { dynamoIdempotencyKeys, dynamoQuotas } from '../../../lambdas/adapters/dynamodb/charges.ts';
import { dynamoDeliveryLog } from '../../../lambdas/adapters/dynamodb/delivery-log.ts';
import { dynamoJobStore } from '../../../lambdas/adapters/dynamodb/jobs.ts';
import {
  dynamoOutboxStore,
  dynamoRedeliveries,
} from '../../../lambdas/adapters/dynamodb/outbox.ts';
import { dynamoPatchBatchStore } from '../../../lambdas/adapters/dynamodb/patch-batches.ts';
import { dynamoRecentTimes } from '../../../lambdas/adapters/dynamodb/recent-times.ts';
import { dynamoRequestPaces } from '../../../lambdas/adapters/dynamodb/request-paces.ts';
import { dynamoSlots } from '../../../lambdas/adapters/dynamodb/slots.ts';
import { dynamoScanPositions } from '../../../lambdas/adapters/dynamodb/sparse-index.ts';
import type { Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import { dynamoTestAllowance } from '../../../lambdas/adapters/dynamodb/test-allowance.ts';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import { obtainEmulator } from '../../../local/emulator/emulator.ts';
import { SUMMARY } from '../../support/api/batch-with-results.ts';
import { createStateTable } from '../../support/deployed/state-table.ts';
import { AT, created } from '../../support/domain/begun-batch.ts';
import { aBatch, anEnd, aPlannedJob, RESULT } from '../../support/domain/builders.ts';
import { batchIndexContract } from '../../support/stores/batch-index-contract.ts';
import { dispatchContract } from '../../support/stores/dispatch-contract.ts';
import { outboxContract } from '../../support/stores/outbox-contract.ts';
import { recentTimesContract } from '../../support/stores/recent-times-contract.ts';
import { requestPacesContract } from '../../support/stores/request-paces-contract.ts';
import { storesContract } from '../../support/stores/stores-contract.ts';

const dynamodb = await obtainEmulator();
const table = await createStateTable(dynamodb.endpointUrl, dynamodb.region);

afterAll(() => dynamodb.stop());

storesContract('DynamoDB', () => {
  const outbox = dynamoOutboxStore(table);
  return {
    batches: dynamoBatchStore(table),
    jobs: dynamoJobStore(table),
    patchBatches: dynamoPatchBatchStore(table),
    quotas: dynamoQuotas(table),
    idempotencyKeys: dynamoIdempotencyKeys(table),
    slots: dynamoSlots(table),
    batchQueue: dynamoBatchQueue(table),
    busOutbox: dynamoBusOutbox(table),
    outbox: { read: (batchId) => outbox.read(batchId, 'batch.completed') },
  };
});

it('the summary of a job is read without the fields of a newer version', async () => {
  const jobs = dynamoJobStore(table);
  const { batchId } = await created(dynamoBatchStore(table));
  await jobs.begin(batchId, 0, aPlannedJob(), AT);
  const stock = SUMMARY.stock && { ...SUMMARY.stock, newer: 1 };
  await jobs.complete(batchId, 0, AT, {
    ...RESULT,
    summary: { ...SUMMARY, stock, ...{ newer: 2 } },
  });
  expect((await jobs.read(batchId, 0))?.summary).toEqual(SUMMARY);
});

recentTimesContract('DynamoDB', () => dynamoRecentTimes(table));

requestPacesContract('DynamoDB', dynamoRequestPaces(table), 3);

dispatchContract('DynamoDB', () => ({
  batches: dynamoBatchStore(table),
  slots: dynamoSlots(table),
  batchQueue: dynamoBatchQueue(table),
  scanPositions: dynamoScanPositions(table),
}));

batchIndexContract('DynamoDB', () => ({
  batches: dynamoBatchStore(table),
  batchIndex: dynamoBatchIndex(table),
}));

outboxContract('DynamoDB', () => ({
  batches: dynamoBatchStore(table),
  outbox: {
    ...dynamoOutboxStore(table),
    ...dynamoRedeliveries(table),
    ...dynamoDeliveryLog(table),
  },
  busOutbox: dynamoBusOutbox(table),
}));

describe('the allowance of test webhooks', () => {
  it('is counted by tenant and minute, and never exceeded', async () => {
    const { take } = dynamoTestAllowance(table);
    const now = new Date().toISOString();
    const minute = now.slice(0, 16);
    const taken = await Promise.all(Array.from({ length: 8 }, () => take('farm', minute, 3)));
    expect(taken.filter((result) => result === 'taken')).toHaveLength(3);
    expect(await take('other', minute, 3)).toBe('taken');
    expect(await take('farm', addSeconds(now, 60).slice(0, 16), 3)).toBe('taken');
  });
});

describe('a batch that ends', () => {
  const SLOT = { ofAll: 9_000, ofTenant: 0 };
  const end = anEnd('failed', AT);

  const heldBy = async (batchId: string) =>
    (await dynamoSlots(table).readHeld()).filter((slot) => slot.batchId === batchId);

  /** The table, with `then` running right after the first read. */
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

  it('frees a slot that it got after it was read', async () => {
    const batch = aBatch({ tenant: 'slot-after-read' });
    await dynamoBatchStore(table).create(batch, null);
    const racing = readThen(async () => {
      expect(await dynamoSlots(table).claim(batch, SLOT, AT)).toBe('claimed');
    });
    expect(await dynamoBatchStore(racing).finish(batch.batchId, end, null)).toBe('finished');
    expect(await heldBy(batch.batchId)).toEqual([]);
  });
});

describe('the commands that the stores sent to DynamoDB', () => {
  const reads = () =>
    table.sent.filter(({ command }) => /^(Get|BatchGet|Query|Scan)/.test(command));

  it('read the base table with strong consistency', () => {
    const ofTable = reads().filter(({ input }) => !('IndexName' in input));
    const ofMany = ofTable.filter(({ input }) => 'RequestItems' in input);
    expect(ofMany.length).toBeGreaterThan(0);
    expect(ofTable.length).toBeGreaterThan(ofMany.length);
    for (const { input } of ofTable) {
      expect('RequestItems' in input ? input.RequestItems : { [table.name]: input }).toMatchObject({
        [table.name]: { ConsistentRead: true },
      });
    }
  });

  it('write only on conditions', () => {
    const writes = table.sent.filter(({ command }) => /^(Put|Update|Delete)/.test(command));
    expect(writes.length).toBeGreaterThan(0);
    for (const { input } of writes) {
      expect(input).toHaveProperty('ConditionExpression', expect.any(String));
    }
  });
});
