import { batchStatusSpecification } from '../operations/batch/batch-status.ts';
import { cancelBatchSpecification } from '../operations/batch/cancel-batch.ts';
import { createBatchSpecification } from '../operations/batch/create-batch.ts';
import { estimateBatchSpecification } from '../operations/batch/estimate-batch.ts';
import { listBatchesSpecification } from '../operations/batch/list-batches.ts';
import { retryBatchSpecification } from '../operations/batch/retry-batch.ts';
import { consoleAssetSpecification } from '../operations/console/console-asset.ts';
import { consolePageSpecification } from '../operations/console/console-page.ts';
import { jobStatusSpecification } from '../operations/job/job-status.ts';
import { patchBatchStatusSpecification } from '../operations/job/patch-batch-status.ts';
import { resultSpecification } from '../operations/job/result.ts';
import { resultItemSpecification } from '../operations/job/result-item.ts';
import { resultPreviewSpecification } from '../operations/job/result-preview.ts';
import { docsSpecification } from '../operations/open/docs.ts';
import { healthSpecification } from '../operations/open/health.ts';
import { openApiSpecification } from '../operations/open/openapi.ts';
import { problemPageSpecification } from '../operations/open/problem-page.ts';
import { rootSpecification } from '../operations/open/root.ts';
import { batchResultsSpecification } from '../operations/results/batch-results.ts';
import { OPERATION_ENTRIES, type OperationEntry, type OperationName } from '../operations/table.ts';
import { limitsSpecification } from '../operations/tenant/limits.ts';
import { modelStyleSpecification } from '../operations/tenant/model-style.ts';
import { modelsSpecification } from '../operations/tenant/models.ts';
import { usageSpecification } from '../operations/tenant/usage.ts';
import { batchDeliveriesSpecification } from '../operations/webhook/deliveries.ts';
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
  'list-batches': listBatchesSpecification,
  'batch-status': batchStatusSpecification,
  'batch-results': batchResultsSpecification,
  'cancel-batch': cancelBatchSpecification,
  'retry-batch': retryBatchSpecification,
  'job-status': jobStatusSpecification,
  result: resultSpecification,
  'result-preview': resultPreviewSpecification,
  'result-item': resultItemSpecification,
  'patch-batch-status': patchBatchStatusSpecification,
  'batch-deliveries': batchDeliveriesSpecification,
  redeliver: redeliverSpecification,
  'test-webhook': testWebhookSpecification,
  usage: usageSpecification,
  limits: limitsSpecification,
  models: modelsSpecification,
  'model-style': modelStyleSpecification,
  root: rootSpecification,
  health: healthSpecification,
  openapi: openApiSpecification,
  docs: docsSpecification,
  'problem-page': problemPageSpecification,
  console: consolePageSpecification,
  'console-asset': consoleAssetSpecification,
};

/** Every operation, in the order of the table. */
export const OPERATIONS: readonly PublishedOperation[] = OPERATION_ENTRIES.map(([name, entry]) => ({
  name,
  ...entry,
  ...SPECIFICATIONS[name],
}));
