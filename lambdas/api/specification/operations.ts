import { cancelBatchSpecification } from '../operations/batch/cancel-batch.ts';
import { createBatchSpecification } from '../operations/batch/create-batch.ts';
import { estimateBatchSpecification } from '../operations/batch/estimate-batch.ts';
import { retryBatchSpecification } from '../operations/batch/retry-batch.ts';
import { CONSOLE } from '../operations/console.ts';
import type { Described } from '../operations/described.ts';
import { OPEN } from '../operations/open.ts';
import { READS } from '../operations/reads.ts';
import { RESULT_READS } from '../operations/result-reads.ts';
import { SIGNED_READS } from '../operations/signed-reads.ts';
import { OPERATION_ENTRIES, type OperationEntry, type OperationName } from '../operations/table.ts';
import { redeliverSpecification } from '../operations/webhook/redeliver.ts';
import { testWebhookSpecification } from '../operations/webhook/test-webhook.ts';
import type { OperationSpecification } from './operation.ts';

/** An operation as the OpenAPI document describes it. */
export interface PublishedOperation extends OperationEntry, OperationSpecification {
  readonly name: OperationName;
}

const SPECIFICATIONS: Readonly<Record<OperationName, OperationSpecification>> = {
  'create-batch': createBatchSpecification,
  'estimate-batch': estimateBatchSpecification,
  'cancel-batch': cancelBatchSpecification,
  'retry-batch': retryBatchSpecification,
  redeliver: redeliverSpecification,
  'test-webhook': testWebhookSpecification,
  ...specificationsOf(READS),
  ...specificationsOf(SIGNED_READS),
  ...specificationsOf(RESULT_READS),
  ...specificationsOf(OPEN),
  ...specificationsOf(CONSOLE),
};

/** Every operation, in the order of the table. */
export const OPERATIONS: readonly PublishedOperation[] = OPERATION_ENTRIES.map(([name, entry]) => ({
  name,
  ...entry,
  ...SPECIFICATIONS[name],
}));

function specificationsOf<Name extends OperationName>(
  group: Readonly<Record<Name, Pick<Described<never>, 'specification'>>>,
): Readonly<Record<Name, OperationSpecification>> {
  const entries = Object.entries<Pick<Described<never>, 'specification'>>(group);
  const specifications = entries.map(([name, { specification }]) => [name, specification] as const);
  return Object.fromEntries(specifications) as Readonly<Record<Name, OperationSpecification>>;
}
