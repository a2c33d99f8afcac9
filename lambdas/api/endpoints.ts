import type { Endpoint, OperationDefinition } from './definition.ts';
import { NAMED_ROUTES, type NamedRoute, type OperationName } from './routes.ts';
import { BATCHES } from './served-by/batches.ts';
import { CREATE_BATCH } from './served-by/create-batch.ts';
import { OPEN } from './served-by/open.ts';
import { TEST_WEBHOOK } from './served-by/test-webhook.ts';

/** Every operation with all that the document says of it. A function imports only the endpoints that it serves. */
export const ENDPOINTS = {
  ...CREATE_BATCH,
  ...BATCHES,
  ...TEST_WEBHOOK,
  ...OPEN,
} as const satisfies Readonly<Record<OperationName, Endpoint>>;

export interface PublishedOperation extends NamedRoute, OperationDefinition {}

export const OPERATIONS: readonly PublishedOperation[] = NAMED_ROUTES.map((route) => ({
  ...route,
  ...ENDPOINTS[route.name][0],
}));
