import type { BatchOrder, JobOrder, WebhookOrder } from '../../../domain/batch/batch-order.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import {
  elementSpans,
  type MemberSpan,
  memberSpans,
  textOf,
} from '../../../domain/json/json-spans.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { isJsonObject } from '../../../json-object.ts';
import { violationsOf } from '../../contract/violations.ts';
import { withPlainBody } from '../../http/content-encoding.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { violationsProblem } from '../../http/problem.ts';
import { repeated } from '../../http/repeated-members.ts';
import type { ApiRequest } from '../../http/request.ts';
import { secretOf } from '../../http/webhook-secret.ts';
import { receiverViolations } from '../../http/webhook-url.ts';
import {
  type CreateRequest,
  createRequest,
  type JobRequest,
  jobRequest,
} from './create-request.ts';

/**
 * The order a creation request holds, with `jobs` and `metadata` as the very bytes sent. Whether it
 * may become a batch is not judged here.
 * @throws Problem that lists everything wrong at once
 */
export function readCreateBody(sent: ApiRequest, policy: ReceiverPolicy): BatchOrder {
  const request = withPlainBody(sent);
  const value = readJsonBody(request);
  const { body } = request;
  const members = isJsonObject(value) ? memberSpans(body) : [];
  const jobs = isJsonObject(value) ? value['jobs'] : undefined;
  // A thousand jobs are worth looking into one by one; a million are not.
  const tooMany = Array.isArray(jobs) && jobs.length > LIMITS.jobsPerBatch;
  const judged = tooMany ? { ...Object(value), jobs: [] } : value;
  const parsed = createRequest.safeParse(judged);
  const secret = secretOf(isJsonObject(value) ? value['webhook_secret'] : undefined, request);
  const violations = [
    ...repeated(members),
    ...(parsed.success ? [] : violationsOf(parsed.error.issues, value)),
    ...secret.violations,
    ...receiverViolations(isJsonObject(value) ? value['webhook_url'] : undefined, policy),
  ];
  if (!parsed.success || violations.length > 0) throw violationsProblem('validation', violations);
  return orderOf(body, members, parsed.data, secret.secret);
}

function orderOf(
  body: Uint8Array,
  members: readonly MemberSpan[],
  request: CreateRequest,
  secret: string | null,
): BatchOrder {
  const jobs = spanOf(members, 'jobs');
  if (jobs === null) throw new Error('a valid request has jobs');
  const text = body.slice(jobs.start, jobs.end);
  const metadata = spanOf(members, 'metadata');
  return {
    jobs: { text, entries: entriesOf(text, request.jobs) },
    metadata: metadata === null ? null : textOf(body, metadata),
    model: request.model ?? null,
    webhook: webhookOf(request, secret),
  };
}

function entriesOf(text: Uint8Array, jobs: readonly JobRequest[]): readonly JobOrder[] {
  const spans = elementSpans(text);
  return jobs.map((job, index) => {
    const span = spans[index];
    if (span === undefined) throw new Error(`no span for job ${index}`);
    return {
      offset: span.start,
      length: span.end - span.start,
      name: job.name ?? nameOfFeature(job.polygon),
      year: job.year,
      model: job.model ?? null,
      polygon: job.polygon,
    };
  });
}

/** RFC 7946 section 3.2: a Feature's `id` is a string or a number; here it is the default name. */
function nameOfFeature(polygon: Readonly<Record<string, unknown>>): string | null {
  const { type, id } = polygon as { readonly type?: unknown; readonly id?: unknown };
  if (type !== 'Feature' || (typeof id !== 'string' && typeof id !== 'number')) return null;
  const named = jobRequest.shape.name.safeParse(String(id));
  return named.success ? (named.data ?? null) : null;
}

function webhookOf(request: CreateRequest, secret: string | null): WebhookOrder | null {
  if (request.webhook_url === undefined) return null;
  return { url: request.webhook_url, secret, jobs: request.webhook_jobs ?? 'full' };
}

function spanOf(members: readonly MemberSpan[], name: string): MemberSpan | null {
  return members.find((member) => member.name === name) ?? null;
}
