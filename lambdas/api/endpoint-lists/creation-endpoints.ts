import type { Endpoints } from '../definition.ts';
import { copyResultsDefinition, copyResultsOperation } from '../endpoints/copy-results.ts';
import { createBatchDefinition, createBatchOperation } from '../endpoints/create-batch.ts';
import { estimateBatchDefinition, estimateBatchOperation } from '../endpoints/estimate-batch.ts';
import { retryBatchDefinition, retryBatchOperation } from '../endpoints/retry-batch.ts';

/** The endpoints that the function `creations` serves. */
export const CREATION_ENDPOINTS = {
  'create-batch': [createBatchDefinition, createBatchOperation],
  'estimate-batch': [estimateBatchDefinition, estimateBatchOperation],
  'retry-batch': [retryBatchDefinition, retryBatchOperation],
  'copy-results': [copyResultsDefinition, copyResultsOperation],
} as const satisfies Endpoints<'creations'>;
