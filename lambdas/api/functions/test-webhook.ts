import { dynamoTestAllowance } from '../../adapters/dynamodb/test-allowance.ts';
import { env } from '../../adapters/environment.ts';
import { httpReceiver } from '../../adapters/webhook/http-receiver.ts';
import type { ReceiverPolicy } from '../../domain/delivery/receiver-policy.ts';
import { builtWith } from '../definition.ts';
import { serveKeyed } from '../serve-keyed.ts';
import { TEST_WEBHOOK } from '../served-by/test-webhook.ts';

/** Connects to a client's URL, and may read nothing else. */
export const handler = serveKeyed('test-webhook', (table) => {
  const policy: ReceiverPolicy = {
    schemes: env.WEBHOOK_SCHEMES,
    privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
    ports: env.WEBHOOK_PORTS,
  };
  return builtWith(TEST_WEBHOOK, {
    allowance: dynamoTestAllowance(table),
    receiver: httpReceiver({ policy, userAgent: `soil-batch-webhook/${env.SERVICE_VERSION}` }),
    receiverPolicy: policy,
    clock: table.clock,
  });
});
