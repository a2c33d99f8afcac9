import { decodeSpan, type FieldSpan } from '#engine/json/json-bytes.ts';
import { isJsonObject, type JsonObject } from '#engine/json/json-object.ts';
import { type BodySize, computeWeight } from '../../domain/admission/request-rate.ts';
import type {
  RequestedBatch,
  RequestedWebhook,
  Violation,
} from '../../domain/batch/requested-batch.ts';
import type { ReceiverPolicy } from '../../domain/delivery/receiver-policy.ts';
import type { ServiceTrust } from '../../domain/destination/destination.ts';
import { compactBytes, type NewJob } from '../../domain/job/requested-job.ts';
import { LIMITS } from '../../domain/limits.ts';
import { depthViolations, readJsonBody } from '../http/json-body.ts';
import type { Weigher } from '../http/metered.ts';
import { firstViolations, violationsProblem } from '../http/problem.ts';
import type { ApiRequest } from '../http/request.ts';
import {
  formatPointer,
  readFieldSpans,
  repeatedFields,
  surplusFields,
  toViolations,
} from '../http/violations.ts';
import {
  type AcceptedJob,
  acceptedJob,
  type CreateEnvelope,
  createRequest,
  envelopeSchema,
  jobRequest,
} from './create-request.ts';
import { roleViolations, toRequestedDestination } from './destination-fields.ts';
import { readSecret, receiverViolations } from './webhook-fields.ts';

const FIELDS = Object.keys(createRequest.shape);

const JOB_FIELDS = Object.keys(jobRequest.shape);

/**
 * Bounds the work of parsing. The limit far exceeds the depth of valid GeoJSON, so that a polygon that is nested too
 * deep fails its job rather than the batch.
 */
const MAX_BODY_DEPTH = 1_000;

/**
 * Reads the batch that a creation requests, with `metadata` as the exact text sent.
 * @param request with its body decompressed
 * @throws Problem that lists the first violations
 */
function readCreateBody(
  request: ApiRequest,
  { receiverPolicy, trust }: Omit<CreateBodyPorts, 'weigh'>,
): RequestedBatch {
  const value = readJsonBody(request, MAX_BODY_DEPTH);
  const collection = featureCollectionViolation(value);
  if (collection !== null) throw violationsProblem('validation', [collection]);
  const members = readFieldSpans(request.body, value, FIELDS);
  const given = isJsonObject(value) ? value : {};
  const envelope = envelopeSchema.safeParse(value);
  const metadata = metadataIn(request.body, members, given);
  const secret = readSecret(given['webhook_secret'], request);
  // An empty URL is accepted, because some clients send one for an unset URL. Together with a secret, it is a mistake.
  const url = given['webhook_url'] === '' && secret.secret === null ? null : given['webhook_url'];
  const listed = jobsToValidate(given);
  const parsed = listed.map((job) => acceptedJob.safeParse(job));
  const destination = envelope.success ? toRequestedDestination(envelope.data.destination) : null;
  const violations = firstViolations(violationsIn());
  if (!envelope.success || violations.length > 0) throw violationsProblem('validation', violations);
  return {
    jobs: parsed.flatMap((job) => (job.success ? [newJob(job.data)] : [])),
    name: envelope.data.name ?? null,
    metadata,
    model: envelope.data.model ?? null,
    webhook: toRequestedWebhook(envelope.data, secret.secret),
    destination: destination === null ? null : { ...destination, base_url: request.baseUrl },
  };

  function* violationsIn(): Generator<Violation> {
    yield* repeatedFields(members);
    if (!envelope.success) {
      yield* toViolations(envelope.error.issues, { value, path: [], fields: FIELDS });
    }
    yield* depthViolations('/metadata', given['metadata']);
    yield* secret.violations;
    yield* receiverViolations(url, receiverPolicy);
    if (destination !== null) yield* roleViolations(destination, trust);
    for (const [index, job] of parsed.entries()) {
      const validated = { value: listed[index], path: ['jobs', index], fields: JOB_FIELDS };
      yield* surplusFields(validated);
      if (job.success) yield* propertiesViolations(job.data.properties ?? null, index);
      else yield* toViolations(job.error.issues, validated);
    }
  }
}

/**
 * Explains what to send instead of a FeatureCollection, which helps more than a list of its unknown and missing fields.
 */
function featureCollectionViolation(body: unknown): Violation | null {
  if (!isJsonObject(body) || body['type'] !== 'FeatureCollection' || 'jobs' in body) return null;
  return {
    pointer: formatPointer([]),
    message:
      'is a GeoJSON FeatureCollection; send {"jobs": [{"polygon": <Feature>, "year": 2024}, …]} with one job per Feature',
  };
}

/** Returns null if `metadata` is not an object. */
function metadataIn(
  body: Uint8Array,
  members: readonly FieldSpan[],
  given: JsonObject,
): string | null {
  if (!isJsonObject(given['metadata'])) return null;
  // `JSON.parse` takes the last one of repeated fields.
  const span = members.findLast(({ name }) => name === 'metadata');
  return span === undefined ? null : decodeSpan(body, span);
}

/** Returns no jobs if the list itself is not valid, for example too long. */
function jobsToValidate(given: JsonObject): readonly unknown[] {
  const listed = envelopeSchema.shape.jobs.safeParse(given['jobs']);
  return listed.success ? listed.data : [];
}

function newJob({ polygon, year, name, model, properties }: AcceptedJob): NewJob {
  return {
    name: name ?? nameOfFeature(polygon),
    year,
    model: model ?? null,
    polygon,
    properties: properties ?? null,
  };
}

/** A Feature's `id` is a string or a number (RFC 7946, section 3.2). */
function nameOfFeature(polygon: unknown): string | null {
  if (!isJsonObject(polygon)) return null;
  const { type, id } = polygon;
  if (type !== 'Feature' || (typeof id !== 'string' && typeof id !== 'number')) return null;
  const named = jobRequest.shape.name.safeParse(String(id));
  return named.success ? (named.data ?? null) : null;
}

/** Checks the size and depth of `properties`, which the schema cannot state. */
function* propertiesViolations(
  properties: NewJob['properties'],
  index: number,
): Generator<Violation> {
  if (properties === null) return;
  const pointer = formatPointer(['jobs', index, 'properties']);
  const bytes = compactBytes(properties);
  if (bytes > LIMITS.propertiesBytes) {
    const message = `must be at most ${LIMITS.propertiesBytes} bytes of JSON without white space; got ${bytes}`;
    yield { pointer, message };
  }
  yield* depthViolations(pointer, properties);
}

function toRequestedWebhook(
  request: CreateEnvelope,
  secret: string | null,
): RequestedWebhook | null {
  const { webhook_url: url, webhook_jobs: jobs } = request;
  // An accepted empty URL counts as absent.
  return url ? { url, secret, jobs: jobs ?? 'full' } : null;
}

export interface CreateBodyPorts {
  readonly receiverPolicy: ReceiverPolicy;
  readonly trust: ServiceTrust;
  readonly weigh: Weigher;
}

/**
 * The bytes count against the request rate before they are parsed, so that an invalid body counts too; the jobs count
 * once their number is known.
 * @param request with its body decompressed
 * @param atOne the size of a body that counts as one request
 * @throws Problem 429, or one that lists the first violations
 */
export async function readWeighedBody(
  request: ApiRequest,
  { weigh, ...ports }: CreateBodyPorts,
  atOne: BodySize,
): Promise<RequestedBatch> {
  const bodyBytes = request.body.byteLength;
  const weightWith = (jobs: number) =>
    computeWeight({ jobs, bodyBytes }, atOne, request.requestsPerMinute);
  const ofBytes = weightWith(0);
  await weigh(request, ofBytes - 1);
  const requested = readCreateBody(request, ports);
  await weigh(request, weightWith(requested.jobs.length) - ofBytes);
  return requested;
}
