import { isJsonObject } from '#engine/json/json-object.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import type { TestReceiver } from '../../../domain/delivery/test-delivery.ts';
import { violationsOf } from '../../contract/violations.ts';
import { withPlainBody } from '../../http/content-encoding.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { violationsProblem } from '../../http/problem.ts';
import { fieldSpansOf, repeatedFields } from '../../http/repeated-fields.ts';
import type { ApiRequest } from '../../http/request.ts';
import { secretOf } from '../../http/webhook-secret.ts';
import { receiverViolations } from '../../http/webhook-url.ts';
import { webhookTestRequest } from './test-request.ts';

const FIELDS = Object.keys(webhookTestRequest.shape);

/**
 * The receiver of a test, validated as for a creation.
 * @throws Problem that lists every violation
 */
export function readWebhookTestBody(sent: ApiRequest, policy: ReceiverPolicy): TestReceiver {
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
