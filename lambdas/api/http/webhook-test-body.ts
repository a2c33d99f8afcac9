import { type ReceiverPolicy, refuseReceiver } from '../../domain/delivery/receiver-policy.ts';
import type { TestReceiver } from '../../domain/delivery/test-delivery.ts';
import { memberSpans } from '../../domain/json/json-spans.ts';
import { violationsOf } from '../contract/violations.ts';
import { webhookTestRequest } from '../contract/webhook-test-request.ts';
import { withPlainBody } from './content-encoding.ts';
import { readJsonBody } from './json-body.ts';
import { violationsProblem } from './problem.ts';
import { repeated } from './repeated-members.ts';
import type { ApiRequest } from './request.ts';
import { secretOf } from './webhook-secret.ts';

/**
 * The receiver that a test names, judged as a creation would judge it.
 * @throws Problem that lists everything wrong at once
 */
export function readWebhookTestBody(sent: ApiRequest, policy: ReceiverPolicy): TestReceiver {
  const request = withPlainBody(sent);
  const value = readJsonBody(request);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const twice = isObject ? repeated(memberSpans(request.body)) : [];
  if (twice.length > 0) throw violationsProblem('validation', twice);
  const parsed = webhookTestRequest.safeParse(value);
  if (!parsed.success) {
    const members = Object.keys(webhookTestRequest.shape);
    throw violationsProblem('validation', violationsOf(parsed.error.issues, value, members));
  }
  const { webhook_url: url, webhook_secret: member } = parsed.data;
  const { secret, violations } = secretOf(member, request);
  const refusal = refuseReceiver(url, policy);
  const wrong = [
    ...violations,
    ...(refusal === null ? [] : [{ pointer: '/webhook_url', message: `is refused: ${refusal}` }]),
  ];
  if (wrong.length > 0) throw violationsProblem('validation', wrong);
  return { url, secret };
}
