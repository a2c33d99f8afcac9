import type { RetrySelection } from '../../../domain/batch/retry-selection.ts';
import { firstViolations } from '../../contract/first-violations.ts';
import { violationsOf } from '../../contract/violations.ts';
import { withPlainBody } from '../../http/content-encoding.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { violationsProblem } from '../../http/problem.ts';
import { fieldSpansOf, repeatedFields } from '../../http/repeated-fields.ts';
import type { ApiRequest } from '../../http/request.ts';
import { retryRequest } from './retry-request.ts';

const FIELDS = Object.keys(retryRequest.shape);

/**
 * The selection in a retry request; without a body, every failed job.
 * @throws Problem that lists the first violations
 */
export function readRetryBody(sent: ApiRequest): RetrySelection {
  if (sent.body.length === 0) return { only: 'failed', jobs: null };
  const request = withPlainBody(sent);
  const value = readJsonBody(request);
  const parsed = retryRequest.safeParse(value);
  const violations = firstViolations([
    ...repeatedFields(fieldSpansOf(request.body, value, FIELDS)),
    ...(parsed.success
      ? []
      : violationsOf(parsed.error.issues, { value, path: [], fields: FIELDS })),
  ]);
  if (!parsed.success || violations.length > 0) throw violationsProblem('validation', violations);
  const { only, jobs } = parsed.data;
  return { only: only ?? 'failed', jobs: jobs ?? null };
}
