import type { OperationsOf } from '../definition.ts';
import { copyResultsDefinition, copyResultsOperation } from '../operations/copy-results.ts';
import { createBatchDefinition, createBatchOperation } from '../operations/create-batch.ts';
import { estimateBatchDefinition, estimateBatchOperation } from '../operations/estimate-batch.ts';
import { retryBatchDefinition, retryBatchOperation } from '../operations/retry-batch.ts';

export const CREATION_OPERATIONS = {
  'create-batch': [createBatchDefinition, createBatchOperation],
  'estimate-batch': [estimateBatchDefinition, estimateBatchOperation],
  'retry-batch': [retryBatchDefinition, retryBatchOperation],
  'copy-results': [copyResultsDefinition, copyResultsOperation],
} as const satisfies OperationsOf<'creations'>;
