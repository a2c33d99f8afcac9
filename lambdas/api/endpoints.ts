import type { Endpoint, OperationDefinition } from './definition.ts';
import { BATCH_ENDPOINTS } from './endpoint-lists/batch-endpoints.ts';
import { CREATION_ENDPOINTS } from './endpoint-lists/creation-endpoints.ts';
import { OPEN_ENDPOINTS } from './endpoint-lists/open-endpoints.ts';
import { WEBHOOK_TEST_ENDPOINTS } from './endpoint-lists/webhook-test-endpoints.ts';
import { NAMED_ROUTES, type NamedRoute, type OperationName } from './routes.ts';

/** Every operation with its complete description. A function imports only the endpoints that it serves. */
export const ENDPOINTS = {
  ...CREATION_ENDPOINTS,
  ...BATCH_ENDPOINTS,
  ...WEBHOOK_TEST_ENDPOINTS,
  ...OPEN_ENDPOINTS,
} as const satisfies Readonly<Record<OperationName, Endpoint>>;

export interface PublishedOperation extends NamedRoute, OperationDefinition {}

export const OPERATIONS: readonly PublishedOperation[] = NAMED_ROUTES.map((route) => ({
  ...route,
  ...ENDPOINTS[route.name][0],
}));
