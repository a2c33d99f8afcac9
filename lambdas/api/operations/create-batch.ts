import * as z from 'zod/mini';
import {
  type Idempotency,
  idempotencyDigestKey,
  readIdempotencyKey,
  requestDigest,
} from '../../domain/admission/idempotency.ts';
import {
  CREATION_PER_UNIT,
  DESTINATION_REQUESTS,
  weighDestination,
} from '../../domain/admission/request-rate.ts';
import {
  type CreateBatchPorts,
  type Creation,
  createBatch,
  type Receipt,
} from '../../domain/batch/create-batch.ts';
import { isRejectedBeforeBody, readCreationContext } from '../../domain/batch/creation-context.ts';
import type { RequestedBatch } from '../../domain/batch/requested-batch.ts';
import type { CursorKey } from '../../domain/cursor.ts';
import { type BatchId, jobIdsOf } from '../../domain/identity.ts';
import { TransientFailure } from '../../domain/step-failure.ts';
import { batchId, count, jobId, time, type ViewOf } from '../../domain/wire.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { withPlainBody } from '../http/json-body.ts';
import { Problem, violationsProblem } from '../http/problem.ts';
import { readQuery } from '../http/query.ts';
import { quotaProblem, rateLimitHeaders } from '../http/quota.ts';
import { type ApiRequest, tenantOf } from '../http/request.ts';
import { POLL_AFTER_SECONDS, uncached } from '../http/response.ts';
import { formatPath } from '../routes.ts';
import { RATE_LIMIT_HEADERS } from '../specification/documented-headers.ts';
import { named } from '../specification/published.ts';
import { type CreateBodyPorts, readWeighedBody } from './create-body.ts';
import { createRequest, createRequestExample, weightText } from './create-request.ts';
import createdExample from './examples/create-batch.json' with { type: 'json' };

export const creationResponse = named(
  'BatchCreated',
  z.strictObject({
    batch_id: batchId,
    status: z.literal('pending'),
    total_jobs: count,
    total_tasks: count,
    job_ids: z.array(jobId).check(z.describe('Job IDs in the order of `jobs`')),
    created_at: time,
    message: z
      .string()
      .check(
        z.describe(
          'Text for people: the status URL, and whether a webhook will be sent and signed',
        ),
      ),
  }),
);

export type CreationResponse = ViewOf<typeof creationResponse>;

export const createBatchDefinition = {
  operationId: 'createBatch',
  tag: 'Batches',
  summary: 'Create a batch',
  description: `Responds immediately and runs the jobs asynchronously. A job whose polygon is invalid, or for which no model has data, fails without failing the request. A trailing slash in the path is ignored. \`Content-Encoding: gzip\` is accepted. ${weightText(CREATION_PER_UNIT)} A \`destination\` counts as ${DESTINATION_REQUESTS} further requests, or as half of \`requests_at_once\` if that is less.`,
  parameters: ['idempotencyKey', 'webhookSecret'],
  body: { schema: createRequest, example: createRequestExample },
  response: {
    status: 202,
    description: 'Accepted',
    headers: [
      'Location',
      'Retry-After',
      'Cache-Control',
      'Idempotent-Replayed',
      ...RATE_LIMIT_HEADERS,
    ],
    links: ['status', 'job', 'cancel', 'retry', 'deliveries'],
    content: { schema: creationResponse, example: createdExample },
  },
  problems: [
    'not-json',
    'not-utf-8',
    'idempotency-key-invalid',
    'idempotency-key-reused',
    'body-too-large',
    'media-type',
    'validation',
    'quota-exceeded',
  ],
} as const satisfies OperationDefinition;

export function createBatchOperation(
  ports: CreateBatchPorts & CursorKey & CreateBodyPorts,
): Operation {
  return async (request) => {
    readQuery(request, []);
    const key = parseIdempotencyKey(request);
    const context = await readCreationContext(ports, tenantOf(request), key);
    if (isRejectedBeforeBody(context)) {
      throw quotaProblem(null, context.tenantQuota.allowance, context.now);
    }
    const plain = withPlainBody(request);
    const requested = await readWeighedBody(plain, ports, CREATION_PER_UNIT);
    if (requested.destination !== null && context.known === null) {
      await ports.weigh(plain, weighDestination(plain.requestsPerMinute));
    }
    const idempotency = key === null ? null : await digestRequest(plain, key, ports.cursorKey);
    const creation = await createOrUnavailable(ports, context, requested, idempotency);
    if (creation.kind === 'refused') throw violationsProblem('validation', creation.violations);
    const now = ports.clock();
    const { allowance } = creation;
    if (creation.kind === 'over-quota') throw quotaProblem(creation.wanted, allowance, now);
    const headers = rateLimitHeaders(allowance, now);
    if (creation.kind === 'key-reused') throw keyReusedProblem(creation.batchId, headers);

    const { receipt } = creation;
    const location = `${request.baseUrl}${formatPath('batch-status', { batch_id: receipt.batch_id })}`;
    const response = uncached(
      202,
      creationView(receipt, composeMessage(receipt, requested, location)),
      {
        Location: location,
        'Retry-After': String(POLL_AFTER_SECONDS),
        ...headers,
        ...(creation.kind === 'repeated' ? { 'Idempotent-Replayed': 'true' } : {}),
      },
    );
    return { ...response, batchId: receipt.batch_id };
  };
}

/** After a transient failure no batch is stored (at most its jobs are, in S3), so the client may repeat the request. */
async function createOrUnavailable(...args: Parameters<typeof createBatch>): Promise<Creation> {
  try {
    return await createBatch(...args);
  } catch (error) {
    if (!(error instanceof TransientFailure)) throw error;
    throw new Problem(
      'unavailable',
      'The batch could not be stored and will not run. Send the same request again.',
      { headers: { 'Retry-After': String(POLL_AFTER_SECONDS) } },
    );
  }
}

function keyReusedProblem(batchId: BatchId, headers: Readonly<Record<string, string>>): Problem {
  return new Problem(
    'idempotency-key-reused',
    `A different request with this Idempotency-Key created the batch ${batchId}. Send a new key for a new batch.`,
    { headers },
  );
}

/** A repeated request gets the same body, whatever state the batch has by then. */
function creationView(
  { batch_id, total_jobs, created_at }: Receipt,
  message: string,
): CreationResponse {
  return {
    batch_id,
    status: 'pending',
    total_jobs,
    total_tasks: total_jobs,
    job_ids: jobIdsOf(batch_id, total_jobs),
    created_at,
    message,
  };
}

function composeMessage(
  { total_jobs }: Receipt,
  requested: RequestedBatch,
  location: string,
): string {
  const jobs = total_jobs === 1 ? '1 job' : `${total_jobs} jobs`;
  return `Accepted ${jobs}. Progress and results: ${location}. ${webhookNote(requested)}`;
}

export const OVER_HTTP =
  'The webhook will be sent over http, so anyone who intercepts it can download the rasters for 24 hours. Use https, or `webhook_jobs: "none"`.';

function webhookNote({ webhook }: RequestedBatch): string {
  if (webhook === null) return 'No webhook_url was given, so no webhook will be sent.';
  const signed =
    webhook.secret === null
      ? 'The completion webhook will be sent unsigned, because no webhook_secret was given.'
      : 'The completion webhook will be signed with your webhook_secret.';
  const isReadable = webhook.jobs === 'full' && new URL(webhook.url).protocol === 'http:';
  return isReadable ? `${signed} ${OVER_HTTP}` : signed;
}

/**
 * Returns null if the request has no key.
 * @throws Problem 400 for an invalid key
 */
function parseIdempotencyKey(request: ApiRequest): string | null {
  const header = request.header('idempotency-key');
  if (header === null) return null;
  const key = readIdempotencyKey(header);
  if (key !== null) return key;
  throw new Problem(
    'idempotency-key-invalid',
    `The header Idempotency-Key must be 1 to 255 letters, digits, "-" and "_", bare or in double quotes, and be sent once; got ${JSON.stringify(header.slice(0, 40))}.`,
  );
}

/** @param request with its body decompressed @param secret the secret from which the key of the digest is derived */
async function digestRequest(
  { body, header }: ApiRequest,
  key: string,
  secret: () => Promise<Uint8Array>,
): Promise<Idempotency> {
  const digestKey = idempotencyDigestKey(await secret());
  return { key, digest: requestDigest(digestKey, body, header('webhook-secret')) };
}
