import type { DefinedOperation, OperationDefinition } from './definition.ts';
import { BATCH_OPERATIONS } from './operation-lists/batch-operations.ts';
import { CREATION_OPERATIONS } from './operation-lists/creation-operations.ts';
import { OPEN_OPERATIONS } from './operation-lists/open-operations.ts';
import { WEBHOOK_TEST_OPERATIONS } from './operation-lists/webhook-test-operations.ts';
import { NAMED_ROUTES, type NamedRoute, type OperationName } from './routes.ts';

/** A function imports only the list of the operations that it serves. */
export const DEFINED_OPERATIONS = {
  ...CREATION_OPERATIONS,
  ...BATCH_OPERATIONS,
  ...WEBHOOK_TEST_OPERATIONS,
  ...OPEN_OPERATIONS,
} as const satisfies Readonly<Record<OperationName, DefinedOperation>>;

export interface PublishedOperation extends NamedRoute, OperationDefinition {}

export const OPERATIONS: readonly PublishedOperation[] = NAMED_ROUTES.map((route) => ({
  ...route,
  ...DEFINED_OPERATIONS[route.name][0],
}));
