import { afterAll, inject } from 'vitest';
import { createStateTable } from '../e2e/state-table.ts';
import { dynamodbStorage } from './dynamodb-storage.ts';
import { walkSuite } from './walk-suite.ts';

const { endpoint, region } = inject('dynamodb');
const table = await createStateTable(endpoint, region);

afterAll(() => table.delete());

await walkSuite('in DynamoDB', ({ clock }) => dynamodbStorage(table, clock));
