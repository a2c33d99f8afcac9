import { isJsonObject } from '#engine/json/json-object.ts';
import type { WebhookTestView } from '../../../domain/delivery/delivery-schema.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import {
  TESTS_PER_MINUTE,
  type TestDeliveryPorts,
  type TestReceiver,
  testDelivery,
} from '../../../domain/delivery/test-delivery.ts';
import { webhookTestRequest } from '../../definitions/webhooks.ts';
import type { Operation } from '../../handling/handle.ts';
import { Problem, violationsProblem } from '../../problems/problem.ts';
import { withPlainBody } from '../../requests/content-encoding.ts';
import { readJsonBody } from '../../requests/json-body.ts';
import { readQuery } from '../../requests/query.ts';
import { fieldSpansOf, repeatedFields } from '../../requests/repeated-fields.ts';
import { type ApiRequest, tenantOf } from '../../requests/request.ts';
import { violationsOf } from '../../requests/violations.ts';
import { secretOf } from '../../requests/webhook-secret.ts';
import { receiverViolations } from '../../requests/webhook-url.ts';
import { uncached } from '../../responses/response.ts';

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

const FIELDS = Object.keys(webhookTestRequest.shape);

/**
 * The receiver of a test, validated as for a creation.
 * @throws Problem that lists every violation
 */
function readWebhookTestBody(sent: ApiRequest, policy: ReceiverPolicy): TestReceiver {
  const request = withPlainBody(sent);
  const value = readJsonBody(request);
  const members = fieldSpansOf(request.body, value, FIELDS);
  const parsed = webhookTestRequest.safeParse(value);
  const object = isJsonObject(value) ? value : {};
  const url = object['webhook_url'];
  const { secret, violations } = secretOf(object['webhook_secret'], request);
  const allViolations = [
    ...repeatedFields(members),
    ...(parsed.success
      ? []
      : violationsOf(parsed.error.issues, { value, path: [], fields: FIELDS })),
    ...violations,
    ...receiverViolations(url, policy),
  ];
  if (!parsed.success || allViolations.length > 0)
    throw violationsProblem('validation', allViolations);
  return { url: parsed.data.webhook_url, secret };
}
