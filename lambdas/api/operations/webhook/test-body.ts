import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import type { TestReceiver } from '../../../domain/delivery/test-delivery.ts';
import { isJsonObject } from '../../../json/json-object.ts';
import { violationsOf } from '../../contract/violations.ts';
import { withPlainBody } from '../../http/content-encoding.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { violationsProblem } from '../../http/problem.ts';
import { membersOf, repeated } from '../../http/repeated-members.ts';
import type { ApiRequest } from '../../http/request.ts';
import { secretOf } from '../../http/webhook-secret.ts';
import { receiverViolations } from '../../http/webhook-url.ts';
import { webhookTestRequest } from './test-request.ts';

const MEMBERS = Object.keys(webhookTestRequest.shape);

/**
 * The receiver that a test names, judged as a creation would judge it.
 * @throws Problem that lists everything wrong at once
 */
export function readWebhookTestBody(sent: ApiRequest, policy: ReceiverPolicy): TestReceiver {
  const request = withPlainBody(sent);
  const value = readJsonBody(request);
  const members = membersOf(request.body, value, MEMBERS);
  const parsed = webhookTestRequest.safeParse(value);
  const object = isJsonObject(value) ? value : {};
  const url = object['webhook_url'];
  const { secret, violations } = secretOf(object['webhook_secret'], request);
  const wrong = [
    ...repeated(members),
    ...(parsed.success
      ? []
      : violationsOf(parsed.error.issues, { value, path: [], fields: MEMBERS })),
    ...violations,
    ...receiverViolations(url, policy),
  ];
  if (!parsed.success || wrong.length > 0) throw violationsProblem('validation', wrong);
  return { url: parsed.data.webhook_url, secret };
}
