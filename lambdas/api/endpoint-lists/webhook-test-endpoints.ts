import type { Endpoints } from '../definition.ts';
import { testWebhookDefinition, testWebhookOperation } from '../endpoints/test-webhook.ts';

/** The endpoints that the function `test-webhook` serves. */
export const WEBHOOK_TEST_ENDPOINTS = {
  'test-webhook': [testWebhookDefinition, testWebhookOperation],
} as const satisfies Endpoints<'test-webhook'>;
