import { inject } from 'vitest';
import { createStateTable } from '../e2e/state-table.ts';
import { dynamodbStorage } from './dynamodb-storage.ts';
import { walkSuite } from './walk-suite.ts';

const { endpoint, region } = inject('dynamodb');

/** A table for each world, so that a failed case does not affect the next one. */
const open = async ({ clock }: { readonly clock: () => Date }) =>
  dynamodbStorage(await createStateTable(endpoint, region), clock);

// Concurrent: while one case waits for its table, others continue.
await walkSuite('in DynamoDB', open, { concurrent: true });
