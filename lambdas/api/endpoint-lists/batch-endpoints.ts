import type { Endpoints } from '../definition.ts';
import { batchResultsDefinition, batchResultsOperation } from '../endpoints/batch-results.ts';
import {
  batchDefinition,
  batchStatusDefinition,
  batchStatusOperation,
} from '../endpoints/batch-status.ts';
import { batchTotalDefinition, batchTotalOperation } from '../endpoints/batch-total.ts';
import { cancelBatchDefinition, cancelBatchOperation } from '../endpoints/cancel-batch.ts';
import {
  batchDeliveriesDefinition,
  batchDeliveriesOperation,
  redeliverDefinition,
  redeliverOperation,
} from '../endpoints/deliveries.ts';
import { jobStatusDefinition, jobStatusOperation } from '../endpoints/job-status.ts';
import { limitsDefinition, limitsOperation } from '../endpoints/limits.ts';
import { listBatchesDefinition, listBatchesOperation } from '../endpoints/list-batches.ts';
import { modelStyleDefinition, modelStyleOperation } from '../endpoints/model-style.ts';
import { modelsDefinition, modelsOperation } from '../endpoints/models.ts';
import {
  patchBatchStatusDefinition,
  patchBatchStatusOperation,
} from '../endpoints/patch-batch-status.ts';
import { resultDefinition, resultOperation } from '../endpoints/result.ts';
import { resultItemDefinition, resultItemOperation } from '../endpoints/result-item.ts';
import { resultPreviewDefinition, resultPreviewOperation } from '../endpoints/result-preview.ts';
import { usageDefinition, usageOperation } from '../endpoints/usage.ts';

/** The endpoints that the function `batches` serves. */
export const BATCH_ENDPOINTS = {
  'list-batches': [listBatchesDefinition, listBatchesOperation],
  'batch-status': [batchStatusDefinition, batchStatusOperation],
  // An alias of `batch-status`.
  batch: [batchDefinition, batchStatusOperation],
  'batch-results': [batchResultsDefinition, batchResultsOperation],
  'batch-total': [batchTotalDefinition, batchTotalOperation],
  'cancel-batch': [cancelBatchDefinition, cancelBatchOperation],
  'job-status': [jobStatusDefinition, jobStatusOperation],
  result: [resultDefinition, resultOperation],
  'result-preview': [resultPreviewDefinition, resultPreviewOperation],
  'result-item': [resultItemDefinition, resultItemOperation],
  'patch-batch-status': [patchBatchStatusDefinition, patchBatchStatusOperation],
  'batch-deliveries': [batchDeliveriesDefinition, batchDeliveriesOperation],
  redeliver: [redeliverDefinition, redeliverOperation],
  usage: [usageDefinition, usageOperation],
  limits: [limitsDefinition, limitsOperation],
  models: [modelsDefinition, modelsOperation],
  'model-style': [modelStyleDefinition, modelStyleOperation],
} as const satisfies Endpoints<'batches'>;
