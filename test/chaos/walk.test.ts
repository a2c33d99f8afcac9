import { inject } from 'vitest';
import { createStateTable } from '../support/deployed/state-table.ts';
import { EVERY_FAULT } from '../support/simulation/faults.ts';
import { walkSuite } from '../support/simulation/walk-suite.ts';
import { dynamodbStorage } from './dynamodb-storage.ts';

const { endpoint, region } = inject('dynamodb');

/** A table for each world, so that a failed case does not affect the next one. */
const open = async ({ clock }: { readonly clock: () => Date }) =>
  dynamodbStorage(await createStateTable(endpoint, region), clock);

await walkSuite('in DynamoDB', open, EVERY_FAULT, { concurrent: true });
