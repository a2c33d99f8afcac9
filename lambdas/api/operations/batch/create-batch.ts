import { CREATION_PER_UNIT } from '../../../domain/admission/request-rate.ts';
import {
  type CreateBatchPorts,
  type Creation,
  createBatch,
  type Receipt,
} from '../../../domain/batch/create-batch.ts';
import {
  isRejectedBeforeBody,
  readCreationContext,
} from '../../../domain/batch/creation-context.ts';
import type { NewBatch } from '../../../domain/batch/new-batch.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import { type BatchId, jobIdsOf } from '../../../domain/identity.ts';
import { TransientFailure } from '../../../domain/transient-failure.ts';
import type { CreationResponse } from '../../definitions/batch-responses.ts';
import { BATCH_OPERATIONS } from '../../definitions/batches.ts';
import type { Operation } from '../../handling/handle.ts';
import type { Weigh } from '../../handling/metered.ts';
import { pathOf } from '../../handling/routes.ts';
import { Problem, violationsProblem } from '../../problems/problem.ts';
import { quotaProblem } from '../../problems/quota-problem.ts';
import { withPlainBody } from '../../requests/content-encoding.ts';
import { idempotencyKeyOf, idempotencyOf } from '../../requests/idempotency.ts';
import { readQuery } from '../../requests/query.ts';
import { tenantOf } from '../../requests/request.ts';
import { rateLimitHeaders } from '../../responses/rate-limit-headers.ts';
import { POLL_AFTER_SECONDS, uncached } from '../../responses/response.ts';
import { readWeighedBody } from './weighed-body.ts';

/** @param digestSecret from which the key for digests of idempotent requests is derived */
export function createBatchOperation(
  ports: CreateBatchPorts,
  policy: ReceiverPolicy,
  digestSecret: () => Promise<Uint8Array>,
  weigh: Weigh,
): Operation {
  return async (request) => {
    readQuery(request, []);
    const key = idempotencyKeyOf(request);
    const opening = await readCreationContext(ports, tenantOf(request), key);
    if (isRejectedBeforeBody(opening)) {
      throw quotaProblem(null, opening.tenantQuota.allowance, opening.now);
    }
    const plain = withPlainBody(request);
    const requested = await readWeighedBody(plain, policy, weigh, CREATION_PER_UNIT);
    const idempotency = key === null ? null : await idempotencyOf(plain, key, digestSecret);
    const creation = await create(ports, opening, requested, idempotency);
    if (creation.kind === 'refused') throw violationsProblem('validation', creation.violations);
    const now = ports.clock();
    const { allowance } = creation;
    if (creation.kind === 'over-quota') throw quotaProblem(creation.wanted, allowance, now);
    const headers = rateLimitHeaders(allowance, now);
    if (creation.kind === 'key-reused') throw keyReused(creation.batchId, headers);

    const { receipt } = creation;
    const location = `${request.baseUrl}${pathOf(BATCH_OPERATIONS['batch-status'], { batch_id: receipt.batchId })}`;
    const response = uncached(202, creationView(receipt, messageOf(receipt, requested, location)), {
      Location: location,
      'Retry-After': String(POLL_AFTER_SECONDS),
      ...headers,
      ...(creation.kind === 'repeated' ? { 'Idempotent-Replayed': 'true' } : {}),
    });
    return { ...response, batchId: receipt.batchId };
  };
}

/** After a transient failure of DynamoDB or S3 nothing of the batch is stored, so the client may repeat the request. */
async function create(...args: Parameters<typeof createBatch>): Promise<Creation> {
  try {
    return await createBatch(...args);
  } catch (error) {
    if (!(error instanceof TransientFailure)) throw error;
    throw new Problem(
      'unavailable',
      'The batch could not be stored, and nothing of it was. Send the same request again.',
      { headers: { 'Retry-After': String(POLL_AFTER_SECONDS) } },
    );
  }
}

function keyReused(batchId: BatchId, headers: Readonly<Record<string, string>>): Problem {
  return new Problem(
    'idempotency-key-reused',
    `A different request with this Idempotency-Key created the batch ${batchId}. Send a new key for a new batch.`,
    { headers },
  );
}

/** The body of the first response. A repeated request gets the same, whatever the batch's state is now. */
function creationView(
  { batchId, totalJobs, createdAt }: Receipt,
  message: string,
): CreationResponse {
  return {
    batch_id: batchId,
    status: 'pending',
    total_jobs: totalJobs,
    total_tasks: totalJobs,
    job_ids: Object.fromEntries(jobIdsOf(batchId, totalJobs).entries()),
    created_at: createdAt,
    message,
  };
}

function messageOf({ totalJobs }: Receipt, requested: NewBatch, location: string): string {
  const jobs = totalJobs === 1 ? '1 job' : `${totalJobs} jobs`;
  return `Accepted ${jobs}. Progress and results: ${location}. ${webhookNote(requested)}`;
}

function webhookNote({ webhook }: NewBatch): string {
  if (webhook === null) return 'No webhook_url was given, so no webhook will be sent.';
  return webhook.secret === null
    ? 'The completion webhook will be sent unsigned, because no webhook_secret was given.'
    : 'The completion webhook will be signed with your webhook_secret.';
}
