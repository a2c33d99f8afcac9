import { afterAll, inject } from 'vitest';
import { createStateTable, type StateTable } from '../e2e/state-table.ts';
import { dynamodbStorage } from './dynamodb-storage.ts';
import { walkSuite } from './walk-suite.ts';

const { endpoint, region } = inject('dynamodb');
let table: StateTable | undefined;
afterAll(() => table?.delete());

/** A table for each world: one that comes to a bad end leaves nothing to the next. */
await walkSuite('in DynamoDB', async ({ clock }) => {
  await table?.delete();
  table = await createStateTable(endpoint, region);
  return dynamodbStorage(table, clock);
});
