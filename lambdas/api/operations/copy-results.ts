import * as z from 'zod/mini';
import { computeWeight, ESTIMATE_PER_UNIT } from '../../domain/admission/request-rate.ts';
import {
  type CopyRefusal,
  type RequestCopiesPorts,
  requestCopies,
} from '../../domain/destination/request-copies.ts';
import { LIMITS } from '../../domain/limits.ts';
import { batchId, type ViewOf } from '../../domain/wire.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import type { Weigher } from '../http/metered.ts';
import { batchNotFound } from '../http/not-found.ts';
import { Problem } from '../http/problem.ts';
import { readId, readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { POLL_AFTER_SECONDS, uncached } from '../http/response.ts';
import { formatPath } from '../routes.ts';
import { named } from '../specification/published.ts';
import created from './examples/create-batch.json' with { type: 'json' };

const copiesRequested = named(
  'CopiesRequested',
  z.strictObject({ batch_id: batchId, message: z.string().check(z.describe('For people')) }),
);

export const copyResultsDefinition = {
  operationId: 'copyResults',
  tag: 'Batches',
  summary: 'Copy missing results',
  description: `Copies a finished batch's missing results to its \`destination\` in the background, after a failure (a missing permission, for example) or a cancellation. The batch and job statuses show the outcome in \`destination\`. Allowed ${LIMITS.copyRequestsPerBatch} times per batch. Counts against the request rate like an estimate with as many jobs as the batch.`,
  parameters: ['batchId'],
  response: {
    status: 202,
    description: 'Copying starts',
    headers: ['Location', 'Retry-After', 'Cache-Control'],
    links: ['status'],
    content: {
      schema: copiesRequested,
      example: {
        batch_id: created.batch_id,
        message: 'The missing results are being copied.',
      },
    },
  },
  problems: ['batch-not-found', 'not-copyable'],
} as const satisfies OperationDefinition;

const REFUSALS: Readonly<Record<CopyRefusal, string>> = {
  'no destination': 'The batch has no destination. Create a batch with one.',
  'not finished': 'The batch is not finished. It copies results as its jobs complete.',
  copied: 'All results are already copied.',
  copying: 'The results are being copied. Wait until `destination.status` is "copied" or "failed".',
  'too often': `Copies of the missing results were requested ${LIMITS.copyRequestsPerBatch} times, the maximum. Download the results, or send the jobs in a new batch.`,
};

export function copyResultsOperation(
  ports: RequestCopiesPorts & { readonly weigh: Weigher },
): Operation {
  return async (request) => {
    readQuery(request, []);
    const id = readId(request, 'batch_id');
    const outcome = await requestCopies(ports, tenantOf(request), id, async (jobs) => {
      // Weighs as much as an estimate, because the run that copies holds no slot: only the request rate limits how many
      // batches such runs copy concurrently.
      const size = { jobs, bodyBytes: 0 };
      await ports.weigh(
        request,
        computeWeight(size, ESTIMATE_PER_UNIT, request.requestsPerMinute) - 1,
      );
    });
    if (outcome.kind === 'unknown') throw batchNotFound();
    if (outcome.kind === 'refused') throw new Problem('not-copyable', REFUSALS[outcome.because]);
    const location = `${request.baseUrl}${formatPath('batch-status', { batch_id: id })}`;
    const body: ViewOf<typeof copiesRequested> = {
      batch_id: id,
      message: `The missing results are being copied. Progress: ${location}.`,
    };
    return uncached(202, body, {
      Location: location,
      'Retry-After': String(POLL_AFTER_SECONDS),
    });
  };
}
