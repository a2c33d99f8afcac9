import { dynamoTestAllowance } from '../../adapters/dynamodb/test-allowance.ts';
import { env } from '../../adapters/environment/env.ts';
import { httpReceiver } from '../../adapters/webhook/http-receiver.ts';
import type { ReceiverPolicy } from '../../domain/delivery/receiver-policy.ts';
import { WEBHOOK_OPERATIONS } from '../definitions/webhooks.ts';
import { handleKeyed } from '../http/handle-keyed.ts';
import { testWebhookOperation } from '../operations/webhook/test-webhook.ts';

export const handler = handleKeyed('test-webhook', WEBHOOK_OPERATIONS, (table) => {
  const variables = env('api/functions/test-webhook');
  const policy: ReceiverPolicy = {
    schemes: variables.WEBHOOK_SCHEMES,
    privateReceivers: variables.WEBHOOK_PRIVATE_RECEIVERS,
    ports: variables.WEBHOOK_PORTS,
  };
  return {
    'test-webhook': testWebhookOperation(
      {
        allowance: dynamoTestAllowance(table),
        receiver: httpReceiver({
          policy,
          userAgent: `soil-batch-webhook/${variables.SERVICE_VERSION}`,
        }),
        clock: table.clock,
      },
      policy,
    ),
  };
});
