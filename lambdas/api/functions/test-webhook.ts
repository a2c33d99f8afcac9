import { dynamoTestAllowance } from '../../adapters/dynamodb/test-allowance.ts';
import { env } from '../../adapters/environment.ts';
import { httpReceiver } from '../../adapters/webhook/http-receiver.ts';
import type { ReceiverPolicy } from '../../domain/delivery/receiver-policy.ts';
import { testWebhookOperation } from '../endpoints/test-webhook.ts';
import { serveKeyed } from '../serve.ts';

/** Connects to a client's URL, and may read nothing else. */
export const handler = serveKeyed('test-webhook', (table) => {
  const policy: ReceiverPolicy = {
    schemes: env.WEBHOOK_SCHEMES,
    privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
    ports: env.WEBHOOK_PORTS,
  };
  return {
    'test-webhook': testWebhookOperation(
      {
        allowance: dynamoTestAllowance(table),
        receiver: httpReceiver({
          policy,
          userAgent: `soil-batch-webhook/${env.SERVICE_VERSION}`,
        }),
        clock: table.clock,
      },
      policy,
    ),
  };
});
