import type { OperationsOf } from '../definition.ts';
import { testWebhookDefinition, testWebhookOperation } from '../operations/test-webhook.ts';

export const WEBHOOK_TEST_OPERATIONS = {
  'test-webhook': [testWebhookDefinition, testWebhookOperation],
} as const satisfies OperationsOf<'test-webhook'>;
