import * as z from 'zod/mini';
import { isJsonObject } from '#engine/json/json-object.ts';
import { type WebhookTestView, webhookTestSchema } from '../../domain/delivery/delivery-schema.ts';
import type { ReceiverPolicy } from '../../domain/delivery/receiver-policy.ts';
import {
  TESTS_PER_MINUTE,
  type TestDeliveryPorts,
  type TestReceiver,
  testDelivery,
} from '../../domain/delivery/test-delivery.ts';
import type { OperationDefinition } from '../definition.ts';
import { objectError, optionalField } from '../http/fields.ts';
import type { Operation } from '../http/handle.ts';
import { readJsonBody, withPlainBody } from '../http/json-body.ts';
import { Problem, violationsProblem } from '../http/problem.ts';
import { readQuery } from '../http/query.ts';
import { type ApiRequest, tenantOf } from '../http/request.ts';
import { uncached } from '../http/response.ts';
import { readFieldSpans, repeatedFields, toViolations } from '../http/violations.ts';
import { named } from '../specification/published.ts';
import tested from './examples/test-webhook.json' with { type: 'json' };
import {
  EXAMPLE_SECRET,
  readSecret,
  receiverViolations,
  webhookSecret,
  webhookUrl,
} from './webhook-fields.ts';

named('WebhookTested', webhookTestSchema);

const webhookTestRequest = named(
  'TestWebhook',
  z.strictObject(
    {
      webhook_url: webhookUrl.check(
        z.describe('Receives the sample; must not contain a user or password'),
      ),
      webhook_secret: optionalField(webhookSecret, 'Signs the sample; neither stored nor returned'),
    },
    { error: objectError('must be a JSON object with webhook_url') },
  ),
);

const REQUEST_EXAMPLE = {
  webhook_url: 'https://example.com/soil',
  webhook_secret: EXAMPLE_SECRET,
};

export const testWebhookDefinition = {
  operationId: 'testWebhook',
  tag: 'Service',
  summary: 'Test a webhook',
  description: `Sends a sample of \`batch.completed\`, marked with \`test: true\` and signed if there is a secret, to your receiver once, in the same way as a delivery, and returns the outcome. The secret is not stored. At most ${TESTS_PER_MINUTE} tests per minute.`,
  parameters: ['webhookSecret'],
  body: { schema: webhookTestRequest, example: REQUEST_EXAMPLE },
  response: {
    status: 200,
    description: 'The receiver’s response',
    headers: ['Cache-Control'],
    content: { schema: webhookTestSchema, example: tested },
  },
  problems: ['not-json', 'not-utf-8', 'body-too-large', 'media-type', 'validation'],
} as const satisfies OperationDefinition;

export function testWebhookOperation({
  receiverPolicy,
  ...ports
}: TestDeliveryPorts & { readonly receiverPolicy: ReceiverPolicy }): Operation {
  return async (request) => {
    readQuery(request, []);
    const receiver = readWebhookTestBody(request, receiverPolicy);
    const tested = await testDelivery(ports, tenantOf(request), receiver);
    if (tested.kind === 'used-up') throw tooManyTestsProblem(tested.retryAfterSeconds);
    const { attempt } = tested;
    const body: WebhookTestView = {
      outcome: attempt.verdict,
      reason: attempt.reason,
      status_code: attempt.status_code,
      duration_ms: attempt.duration_ms,
      body_bytes: attempt.body_bytes,
      webhook_id: attempt.event_id,
      signed: receiver.secret !== null,
    };
    return uncached(200, body);
  };
}

function tooManyTestsProblem(seconds: number): Problem {
  return new Problem(
    'throttled',
    `The limit is ${TESTS_PER_MINUTE} webhook tests per minute; retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

const FIELDS = Object.keys(webhookTestRequest.shape);

/**
 * The receiver is validated as for a creation.
 * @throws Problem that lists the first violations
 */
function readWebhookTestBody(sent: ApiRequest, policy: ReceiverPolicy): TestReceiver {
  const request = withPlainBody(sent);
  const value = readJsonBody(request);
  const members = readFieldSpans(request.body, value, FIELDS);
  const parsed = webhookTestRequest.safeParse(value);
  const object = isJsonObject(value) ? value : {};
  const url = object['webhook_url'];
  const { secret, violations } = readSecret(object['webhook_secret'], request);
  const allViolations = [
    ...repeatedFields(members),
    ...(parsed.success
      ? []
      : toViolations(parsed.error.issues, { value, path: [], fields: FIELDS })),
    ...violations,
    ...receiverViolations(url, policy),
  ];
  if (!parsed.success || allViolations.length > 0)
    throw violationsProblem('validation', allViolations);
  return { url: parsed.data.webhook_url, secret };
}
