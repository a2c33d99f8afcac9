import { afterAll, describe, expect, inject, it } from 'vitest';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoIdempotencyKeys } from '../../lambdas/adapters/dynamodb/idempotency-keys.ts';
import { dynamoJobStore } from '../../lambdas/adapters/dynamodb/jobs.ts';
import { dynamoOutboxStore } from '../../lambdas/adapters/dynamodb/outbox.ts';
import { dynamoPatchBatchStore } from '../../lambdas/adapters/dynamodb/patch-batches.ts';
import { dynamoQuotas } from '../../lambdas/adapters/dynamodb/quotas.ts';
import { dynamoRequestPaces } from '../../lambdas/adapters/dynamodb/request-paces.ts';
import { dynamoSlots } from '../../lambdas/adapters/dynamodb/slots.ts';
import { dynamoSweeps } from '../../lambdas/adapters/dynamodb/sweeps.ts';
import { dynamoWaitingLine } from '../../lambdas/adapters/dynamodb/waiting-line.ts';
import { dispatchContract } from '../unit/domain/in-memory/dispatch-contract.ts';
import { outboxContract } from '../unit/domain/in-memory/outbox-contract.ts';
import { requestPacesContract } from '../unit/domain/in-memory/request-paces-contract.ts';
import { storesContract } from '../unit/domain/in-memory/stores-contract.ts';
import { createStateTable } from './state-table.ts';

const service = inject('service');
const table = await createStateTable(service.endpoint_url, service.region);

afterAll(() => table.delete());

storesContract('DynamoDB', () => {
  const outbox = dynamoOutboxStore(table);
  return {
    batches: dynamoBatchStore(table),
    jobs: dynamoJobStore(table),
    patchBatches: dynamoPatchBatchStore(table),
    quotas: dynamoQuotas(table),
    idempotencyKeys: dynamoIdempotencyKeys(table),
    slots: dynamoSlots(table),
    line: dynamoWaitingLine(table),
    outbox: { read: (batchId) => outbox.read(batchId, 'batch.completed') },
  };
});

requestPacesContract('DynamoDB', dynamoRequestPaces(table), 3);

dispatchContract('DynamoDB', () => ({
  batches: dynamoBatchStore(table),
  slots: dynamoSlots(table),
  line: dynamoWaitingLine(table),
  sweeps: dynamoSweeps(table),
}));

outboxContract('DynamoDB', () => ({
  batches: dynamoBatchStore(table),
  outbox: dynamoOutboxStore(table),
}));

describe('what the stores sent to DynamoDB', () => {
  const reads = () =>
    table.sent.filter(({ command }) => /^(Get|BatchGet|Query|Scan)/.test(command));

  it('read the base table consistently, every time', () => {
    const ofTable = reads().filter(({ input }) => !('IndexName' in input));
    expect(ofTable.length).toBeGreaterThan(0);
    for (const { input } of ofTable) expect(input).toMatchObject({ ConsistentRead: true });
  });

  it('wrote on conditions alone', () => {
    const writes = table.sent.filter(({ command }) => /^(Put|Update|Delete)/.test(command));
    expect(writes.length).toBeGreaterThan(0);
    for (const { input } of writes) {
      expect(input).toHaveProperty('ConditionExpression', expect.any(String));
    }
  });
});
