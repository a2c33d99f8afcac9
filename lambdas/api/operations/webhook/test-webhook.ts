import type { WebhookTestView } from '../../../domain/delivery/delivery-schema.ts';
import { webhookTestSchema } from '../../../domain/delivery/delivery-schema.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import {
  TESTS_PER_MINUTE,
  type TestDeliveryPorts,
  testDelivery,
} from '../../../domain/delivery/test-delivery.ts';
import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { Problem } from '../../http/problem.ts';
import { tenantOf } from '../../http/request.ts';
import { uncached } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { named } from '../../specification/published.ts';
import { readWebhookTestBody } from './test-body.ts';
import { webhookTestRequest } from './test-request.ts';
import example from './test-webhook.example.json' with { type: 'json' };

named('WebhookTested', webhookTestSchema);

const REQUEST_EXAMPLE = {
  webhook_url: 'https://example.com/soil',
  webhook_secret: 'your webhook secret',
};

export function testWebhookOperation(ports: TestDeliveryPorts, policy: ReceiverPolicy): Operation {
  return async (request) => {
    readQuery(request, []);
    const receiver = readWebhookTestBody(request, policy);
    const tested = await testDelivery(ports, tenantOf(request), receiver);
    if (tested.kind === 'used-up') throw tooMany(tested.retryAfterSeconds);
    const { outcome, durationMs, eventId, bodyBytes } = tested;
    const body: WebhookTestView = {
      outcome: outcome.verdict,
      reason: outcome.reason,
      status_code: outcome.statusCode,
      duration_ms: durationMs,
      body_bytes: bodyBytes,
      webhook_id: eventId,
      signed: receiver.secret !== null,
    };
    return uncached(200, body);
  };
}

function tooMany(seconds: number): Problem {
  return new Problem(
    'throttled',
    `The limit is ${TESTS_PER_MINUTE} webhook tests per minute; retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

export const testWebhookSpecification: OperationSpecification = {
  tag: 'Service',
  summary: 'Test a webhook',
  description: `Sends a signed sample of \`batch.completed\`, marked with \`test: true\`, to your receiver as a delivery does, once, and returns the outcome. The secret is not stored. At most ${TESTS_PER_MINUTE} tests per minute.`,
  parameters: ['webhookSecret'],
  body: { schema: webhookTestRequest, example: REQUEST_EXAMPLE },
  response: {
    status: 200,
    description: 'The receiver’s response',
    headers: ['Cache-Control'],
    content: { schema: webhookTestSchema, example: example },
  },
  problems: ['not-json', 'not-utf-8', 'body-too-large', 'media-type', 'validation'],
};
