import type { OperationsOf } from '../definition.ts';
import { batchResultsDefinition, batchResultsOperation } from '../operations/batch-results.ts';
import {
  batchDefinition,
  batchStatusDefinition,
  batchStatusOperation,
} from '../operations/batch-status.ts';
import { batchTotalDefinition, batchTotalOperation } from '../operations/batch-total.ts';
import { cancelBatchDefinition, cancelBatchOperation } from '../operations/cancel-batch.ts';
import {
  batchDeliveriesDefinition,
  batchDeliveriesOperation,
  redeliverDefinition,
  redeliverOperation,
} from '../operations/deliveries.ts';
import { jobStatusDefinition, jobStatusOperation } from '../operations/job-status.ts';
import { limitsDefinition, limitsOperation } from '../operations/limits.ts';
import { listBatchesDefinition, listBatchesOperation } from '../operations/list-batches.ts';
import { modelStyleDefinition, modelStyleOperation } from '../operations/model-style.ts';
import { modelsDefinition, modelsOperation } from '../operations/models.ts';
import {
  patchBatchStatusDefinition,
  patchBatchStatusOperation,
} from '../operations/patch-batch-status.ts';
import { resultDefinition, resultOperation } from '../operations/result.ts';
import { resultItemDefinition, resultItemOperation } from '../operations/result-item.ts';
import { resultPreviewDefinition, resultPreviewOperation } from '../operations/result-preview.ts';
import { usageDefinition, usageOperation } from '../operations/usage.ts';

export const BATCH_OPERATIONS = {
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
} as const satisfies OperationsOf<'batches'>;
