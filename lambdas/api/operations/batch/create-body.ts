import { isJsonObject, type JsonObject } from '#engine/json/json-object.ts';
import {
  elementSpans,
  type FieldSpan,
  type ReadFields,
  readFields,
  type Span,
  textOf,
} from '#engine/json/json-spans.ts';
import type { NewBatch, NewJob, NewWebhook, Violation } from '../../../domain/batch/new-batch.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import type { JobParts } from '../../../domain/job/job-requests.ts';
import { partsOf, READ_OF_POLYGON } from '../../../domain/job/job-text.ts';
import { LIMITS } from '../../../domain/limits.ts';
import {
  type CreateEnvelope,
  createRequest,
  envelopeSchema,
  type JobRequest,
  jobRequest,
  jobSchema,
} from '../../definitions/batch-requests.ts';
import { firstViolations } from '../../problems/first-violations.ts';
import { violationsProblem } from '../../problems/problem.ts';
import { readJsonBody } from '../../requests/json-body.ts';
import { pointerOf } from '../../requests/pointer.ts';
import { fieldSpansOf, repeatedAt, repeatedFields } from '../../requests/repeated-fields.ts';
import type { ApiRequest } from '../../requests/request.ts';
import { surplusFields, violationsOf } from '../../requests/violations.ts';
import { secretOf } from '../../requests/webhook-secret.ts';
import { receiverViolations } from '../../requests/webhook-url.ts';

const FIELDS = Object.keys(createRequest.shape);
const JOB_FIELDS = Object.keys(jobRequest.shape);
const READ_OF_JOB: ReadFields = Object.fromEntries(
  JOB_FIELDS.map((name) => [name, name === 'polygon' ? READ_OF_POLYGON : {}]),
);

type CreateRequest = Omit<CreateEnvelope, 'jobs'> & { readonly jobs: readonly JobRequest[] };

/**
 * The batch that a creation requests, with `jobs` and `metadata` as the exact bytes sent. Admission (quota,
 * models, geometry) is checked elsewhere.
 * @param request with its body decompressed
 * @throws Problem that lists the first violations
 */
export function readCreateBody(request: ApiRequest, policy: ReceiverPolicy): NewBatch {
  const value = readJsonBody(request);
  const collection = featureCollectionViolation(value);
  if (collection !== null) throw violationsProblem('validation', [collection]);
  const { body } = request;
  const members = fieldSpansOf(body, value, FIELDS);
  const given = isJsonObject(value) ? value : {};
  const envelope = envelopeSchema.safeParse(value);
  const listed = listedJobs(given);
  const sent = sentJobs(body, members, listed);
  const secret = secretOf(given['webhook_secret'], request);
  const jobs: JobRequest[] = [];
  const parts: JobParts[] = [];
  const violations = firstViolations(violationsIn());
  if (!envelope.success || violations.length > 0) throw violationsProblem('validation', violations);
  return newBatchOf(body, members, { ...sent, parts }, { ...envelope.data, jobs }, secret.secret);

  function* violationsIn(): Generator<Violation> {
    yield* repeatedFields(members);
    if (!envelope.success) {
      yield* violationsOf(envelope.error.issues, { value, path: [], fields: FIELDS });
    }
    yield* secret.violations;
    yield* receiverViolations(given['webhook_url'], policy);
    for (const [index, job] of listed.entries()) {
      const validated = { value: job, path: ['jobs', index], fields: JOB_FIELDS };
      yield* surplusFields(validated);
      const { start, end } = sent.spans[index] ?? NO_TEXT;
      const text = sent.text.subarray(start, end);
      const fields = new Map<string, Span>();
      for (const field of readFields(text, READ_OF_JOB)) {
        if (field.isRepeated) yield repeatedAt(['jobs', index, ...field.path]);
        fields.set(field.path.join('.'), field);
      }
      const parsed = jobSchema.safeParse(job);
      if (parsed.success) {
        jobs.push(parsed.data);
        parts.push(partsOf(text, fields, parsed.data.polygon));
        yield* propertiesViolations(fields.get('properties') ?? NO_TEXT, index);
      } else {
        yield* violationsOf(parsed.error.issues, validated);
      }
    }
  }
}

/** What to send instead of a FeatureCollection. Its unknown and missing fields would say less. */
function featureCollectionViolation(body: unknown): Violation | null {
  if (!isJsonObject(body) || body['type'] !== 'FeatureCollection' || 'jobs' in body) return null;
  return {
    pointer: pointerOf([]),
    message:
      'is a GeoJSON FeatureCollection: send {"jobs": [{"polygon": <Feature>, "year": 2024}, …]} with one job per Feature',
  };
}

/** The jobs to validate: none of a list that is too long. */
function listedJobs(given: JsonObject): readonly unknown[] {
  const listed = envelopeSchema.shape.jobs.safeParse(given['jobs']);
  return listed.success ? listed.data : [];
}

const NO_TEXT: Span = { start: 0, end: 0 };

/** The exact text of `jobs`, and the span of each job in it. */
interface SentJobs {
  readonly text: Uint8Array;
  readonly spans: readonly Span[];
}

function sentJobs(
  body: Uint8Array,
  members: readonly FieldSpan[],
  listed: readonly unknown[],
): SentJobs {
  const jobs = spanOf(members, 'jobs');
  if (jobs === null || listed.length === 0) return { text: new Uint8Array(), spans: [] };
  const text = body.slice(jobs.start, jobs.end);
  return { text, spans: elementSpans(text) };
}

/** The size of the text as sent, which the schema cannot state. `admit` has the same rule for metadata. */
function propertiesViolations({ start, end }: Span, index: number): readonly Violation[] {
  const bytes = end - start;
  if (bytes <= LIMITS.propertiesBytes) return [];
  return [
    {
      pointer: pointerOf(['jobs', index, 'properties']),
      message: `must be at most ${LIMITS.propertiesBytes} bytes of JSON text as sent; got ${bytes}`,
    },
  ];
}

function newBatchOf(
  body: Uint8Array,
  members: readonly FieldSpan[],
  sent: SentJobs & { readonly parts: readonly JobParts[] },
  request: CreateRequest,
  secret: string | null,
): NewBatch {
  const metadata = isJsonObject(request.metadata) ? spanOf(members, 'metadata') : null;
  return {
    jobs: { text: sent.text, entries: entriesOf(sent, request.jobs) },
    name: request.name ?? null,
    metadata: metadata === null ? null : textOf(body, metadata),
    model: request.model ?? null,
    webhook: webhookOf(request, secret),
  };
}

function entriesOf(
  { spans, parts }: Parameters<typeof newBatchOf>[2],
  jobs: readonly JobRequest[],
): readonly NewJob[] {
  return jobs.map((job, index) => {
    const [span, partsOfJob] = [spans[index], parts[index]];
    if (span === undefined || partsOfJob === undefined) throw new Error(`no span for job ${index}`);
    return {
      offset: span.start,
      length: span.end - span.start,
      name: job.name ?? nameOfFeature(job.polygon),
      year: job.year,
      model: job.model ?? null,
      polygon: job.polygon,
      parts: partsOfJob,
    };
  });
}

/** The default name of a job: the Feature's `id`, a string or a number (RFC 7946, section 3.2). */
function nameOfFeature(polygon: unknown): string | null {
  if (!isJsonObject(polygon)) return null;
  const { type, id } = polygon;
  if (type !== 'Feature' || (typeof id !== 'string' && typeof id !== 'number')) return null;
  const named = jobRequest.shape.name.safeParse(String(id));
  return named.success ? (named.data ?? null) : null;
}

function webhookOf(request: CreateRequest, secret: string | null): NewWebhook | null {
  const url = request.webhook_url ?? null;
  return url === null ? null : { url, secret, jobs: request.webhook_jobs ?? 'full' };
}

function spanOf(members: readonly FieldSpan[], name: string): FieldSpan | null {
  // Of a repeated field, `JSON.parse` takes the last.
  return members.findLast((member) => member.name === name) ?? null;
}
