import type { Link } from './openapi.ts';

const batch = { batch_id: '$response.body#/batch_id' } as const;

/**
 * Links from a field of a response to a parameter of a follow-up operation (OpenAPI 3.1.1, section
 * 4.8.20), for client generators and for tests that chain requests.
 */
const LINKS = {
  status: {
    operationId: 'getBatchStatus',
    parameters: batch,
    description: 'Get the batch status.',
  },
  cancel: {
    operationId: 'cancelBatch',
    parameters: batch,
    description: 'Cancel the batch.',
  },
  retry: {
    operationId: 'retryBatch',
    parameters: batch,
    description: 'When the batch is finished: run its failed jobs again.',
  },
  deliveries: {
    operationId: 'getDeliveries',
    parameters: batch,
    description: 'Get the delivery log of its webhook.',
  },
  redelivery: {
    operationId: 'redeliver',
    parameters: batch,
    description: 'When the batch is finished: send its webhook again.',
  },
  job: {
    operationId: 'getJobStatus',
    parameters: { ...batch, job_id: '$response.body#/job_ids/0' },
    description: 'Get the status of the first job.',
  },
  jobOfFirst: {
    operationId: 'getJobStatus',
    parameters: { ...batch, job_id: '$response.body#/jobs/0/job_id' },
    description: 'Get the status of the first job listed.',
  },
  patchBatch: {
    operationId: 'getPatchBatchStatus',
    parameters: {
      ...batch,
      job_id: '$response.body#/job_id',
      patch_batch_idx: '$response.body#/patch_batches/0/patch_batch_idx',
    },
    description: 'Get the status of the first patch-batch listed.',
  },
  nextPatchBatches: {
    operationId: 'getJobStatus',
    parameters: {
      ...batch,
      job_id: '$response.body#/job_id',
      cursor: '$response.body#/next_cursor',
    },
    description: 'While `has_more`: the next page.',
  },
  nextBatches: {
    operationId: 'listBatches',
    parameters: { cursor: '$response.body#/next_cursor' },
    description: 'While `has_more`: the next page.',
  },
  statusOfFirst: {
    operationId: 'getBatchStatus',
    parameters: { batch_id: '$response.body#/batches/0/batch_id' },
    description: 'Get the status of the newest batch listed.',
  },
} as const satisfies Record<string, Link>;

export type LinkName = keyof typeof LINKS;

/** @param operations the deployment's operations; links to others are omitted */
export function linksNamed(
  names: readonly LinkName[],
  operations: readonly { readonly operationId: string }[],
): Readonly<Record<string, Link>> {
  const known = new Set(operations.map(({ operationId }) => operationId));
  return Object.fromEntries(
    names.filter((name) => known.has(LINKS[name].operationId)).map((name) => [name, LINKS[name]]),
  );
}
