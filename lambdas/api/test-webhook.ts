import { dynamoTestAllowance } from '../adapters/dynamodb/test-allowance.ts';
import { environment } from '../adapters/environment.ts';
import { httpReceiver } from '../adapters/webhook/http-receiver.ts';
import type { WebhookTestView } from '../domain/delivery/delivery-schema.ts';
import type { ReceiverPolicy } from '../domain/delivery/receiver-policy.ts';
import {
  TESTS_PER_MINUTE,
  type TestDeliveryPorts,
  testDelivery,
} from '../domain/delivery/test-delivery.ts';
import { readQuery } from './contract/query.ts';
import type { Operation } from './http/handle.ts';
import { handleKeyed } from './http/handle-keyed.ts';
import { Problem } from './http/problem.ts';
import { tenantOf } from './http/request.ts';
import { uncached } from './http/response.ts';
import { readWebhookTestBody } from './http/webhook-test-body.ts';

export function testWebhookOperation(ports: TestDeliveryPorts, policy: ReceiverPolicy): Operation {
  return async (request) => {
    readQuery(request, []);
    const receiver = readWebhookTestBody(request, policy);
    const tested = await testDelivery(ports, tenantOf(request), receiver);
    if (tested.kind === 'used-up') throw tooMany(tested.retryAfterSeconds);
    const { outcome, durationMs, eventId, bodyBytes } = tested;
    const answer: WebhookTestView = {
      outcome: outcome.verdict,
      reason: outcome.reason,
      status_code: outcome.statusCode,
      duration_ms: durationMs,
      body_bytes: bodyBytes,
      webhook_id: eventId,
      signed: receiver.secret !== null,
    };
    return uncached(200, answer);
  };
}

function tooMany(seconds: number): Problem {
  return new Problem(
    'throttled',
    `Webhooks may be tested ${TESTS_PER_MINUTE} times a minute; the next minute begins in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

export const handler = handleKeyed('test-webhook', (table) => {
  const env = environment(
    'WEBHOOK_SCHEMES',
    'WEBHOOK_PRIVATE_RECEIVERS',
    'WEBHOOK_PORTS',
    'SERVICE_VERSION',
  );
  const policy: ReceiverPolicy = {
    schemes: env.WEBHOOK_SCHEMES,
    privateReceivers: env.WEBHOOK_PRIVATE_RECEIVERS,
    ports: env.WEBHOOK_PORTS,
  };
  return testWebhookOperation(
    {
      allowance: dynamoTestAllowance(table),
      receiver: httpReceiver({ policy, userAgent: `soil-batch-webhook/${env.SERVICE_VERSION}` }),
      clock: table.clock,
    },
    policy,
  );
});
