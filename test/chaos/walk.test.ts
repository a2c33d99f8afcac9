import { inject } from 'vitest';
import { createStateTable } from '../e2e/state-table.ts';
import { dynamodbStorage } from './dynamodb-storage.ts';
import { walkSuite } from './walk-suite.ts';

const { endpoint, region } = inject('dynamodb');

/** A table for each world: one that comes to a bad end leaves nothing to the next. */
const open = async ({ clock }: { readonly clock: () => Date }) =>
  dynamodbStorage(await createStateTable(endpoint, region), clock);

// Several at once: while one waits for its table, others go on.
await walkSuite('in DynamoDB', open, { concurrent: true });
