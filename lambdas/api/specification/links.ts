import type { Link } from './openapi.ts';

const batch = { batch_id: '$response.body#/batch_id' } as const;

/** Links from a field of a response to a parameter of a follow-up operation (OpenAPI 3.1.1, section 4.8.20). */
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
    description: 'Run the failed jobs of the batch again, once the batch is finished.',
  },
  deliveries: {
    operationId: 'getDeliveries',
    parameters: batch,
    description: 'Get the delivery log of the batch’s webhook.',
  },
  redelivery: {
    operationId: 'redeliver',
    parameters: batch,
    description: 'Send the webhook of the batch again, once the batch is finished.',
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
    description: 'Get the next page, while `has_more` is true.',
  },
  nextBatches: {
    operationId: 'listBatches',
    parameters: { cursor: '$response.body#/next_cursor' },
    description: 'Get the next page, while `has_more` is true.',
  },
  statusOfFirst: {
    operationId: 'getBatchStatus',
    parameters: { batch_id: '$response.body#/batches/0/batch_id' },
    description: 'Get the status of the newest batch listed.',
  },
} as const satisfies Record<string, Link>;

export type LinkName = keyof typeof LINKS;

/** @param operations the deployment's operations; links to other operations are omitted */
export function linksNamed(
  names: readonly LinkName[],
  operations: readonly { readonly operationId: string }[],
): Readonly<Record<string, Link>> {
  const known = new Set(operations.map(({ operationId }) => operationId));
  return Object.fromEntries(
    names.filter((name) => known.has(LINKS[name].operationId)).map((name) => [name, LINKS[name]]),
  );
}
