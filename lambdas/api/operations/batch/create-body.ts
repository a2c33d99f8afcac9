import type { Violation } from '../../../domain/admission/admit.ts';
import type { BatchOrder, JobOrder, WebhookOrder } from '../../../domain/batch/batch-order.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import { isJsonObject, type JsonObject } from '../../../json/json-object.ts';
import { elementSpans, type MemberSpan, textOf } from '../../../json/json-spans.ts';
import { firstViolations } from '../../contract/first-violations.ts';
import { violationsOf } from '../../contract/violations.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { violationsProblem } from '../../http/problem.ts';
import { membersOf, repeated } from '../../http/repeated-members.ts';
import type { ApiRequest } from '../../http/request.ts';
import { secretOf } from '../../http/webhook-secret.ts';
import { receiverViolations } from '../../http/webhook-url.ts';
import {
  type CreateEnvelope,
  createRequest,
  type JobRequest,
  jobRequest,
  judgedEnvelope,
  judgedJob,
} from './create-request.ts';

const FIELDS = Object.keys(createRequest.shape);
const JOB_FIELDS = Object.keys(jobRequest.shape);

type CreateRequest = Omit<CreateEnvelope, 'jobs'> & { readonly jobs: readonly JobRequest[] };

/**
 * The order a creation request holds, with `jobs` and `metadata` as the very bytes sent. Whether it
 * may become a batch is not judged here.
 * @param request with its body unpacked
 * @throws Problem that lists what is wrong, as far as a response lists it
 */
export function readCreateBody(request: ApiRequest, policy: ReceiverPolicy): BatchOrder {
  const value = readJsonBody(request);
  const { body } = request;
  const members = membersOf(body, value, FIELDS);
  const given = isJsonObject(value) ? value : {};
  const envelope = judgedEnvelope.safeParse(value);
  const secret = secretOf(given['webhook_secret'], request);
  const jobs: JobRequest[] = [];
  const violations = firstViolations(violationsIn());
  if (!envelope.success || violations.length > 0) throw violationsProblem('validation', violations);
  return orderOf(body, members, { ...envelope.data, jobs }, secret.secret);

  function* violationsIn(): Generator<Violation> {
    yield* repeated(members);
    if (!envelope.success) {
      yield* violationsOf(envelope.error.issues, { value, path: [], fields: FIELDS });
    }
    yield* secret.violations;
    yield* receiverViolations(given['webhook_url'], policy);
    for (const [index, job] of listedJobs(given).entries()) {
      const parsed = judgedJob.safeParse(job);
      if (parsed.success) jobs.push(parsed.data);
      else {
        const judged = { value: job, path: ['jobs', index], fields: JOB_FIELDS };
        yield* violationsOf(parsed.error.issues, judged);
      }
    }
  }
}

/** Those of a list that is not too long: a thousand jobs are worth judging, a million are not. */
function listedJobs(given: JsonObject): readonly unknown[] {
  const listed = judgedEnvelope.shape.jobs.safeParse(given['jobs']);
  return listed.success ? listed.data : [];
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
