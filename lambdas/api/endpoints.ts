import type { OperationDefinition } from './definition.ts';
import { batchResultsDefinition, batchResultsOperation } from './endpoints/batch-results.ts';
import {
  batchDefinition,
  batchStatusDefinition,
  batchStatusOperation,
} from './endpoints/batch-status.ts';
import { batchTotalDefinition, batchTotalOperation } from './endpoints/batch-total.ts';
import { cancelBatchDefinition } from './endpoints/cancel-batch.ts';
import {
  consoleAssetDefinition,
  consoleAssetOperation,
  consoleDefinition,
  consolePageOperation,
} from './endpoints/console.ts';
import { createBatchDefinition } from './endpoints/create-batch.ts';
import {
  batchDeliveriesDefinition,
  batchDeliveriesOperation,
  redeliverDefinition,
} from './endpoints/deliveries.ts';
import {
  docsDefinition,
  docsOperation,
  openApiOperation,
  openapiDefinition,
  problemPageDefinition,
  problemPageOperation,
  rootDefinition,
  rootOperation,
} from './endpoints/docs.ts';
import { estimateBatchDefinition } from './endpoints/estimate-batch.ts';
import { healthDefinition, healthOperation } from './endpoints/health.ts';
import { jobStatusDefinition, jobStatusOperation } from './endpoints/job-status.ts';
import { limitsDefinition, limitsOperation } from './endpoints/limits.ts';
import { listBatchesDefinition, listBatchesOperation } from './endpoints/list-batches.ts';
import { modelStyleDefinition, modelStyleOperation } from './endpoints/model-style.ts';
import { modelsDefinition, modelsOperation } from './endpoints/models.ts';
import {
  patchBatchStatusDefinition,
  patchBatchStatusOperation,
} from './endpoints/patch-batch-status.ts';
import { resultDefinition, resultOperation } from './endpoints/result.ts';
import { resultItemDefinition, resultItemOperation } from './endpoints/result-item.ts';
import { resultPreviewDefinition, resultPreviewOperation } from './endpoints/result-preview.ts';
import { retryBatchDefinition } from './endpoints/retry-batch.ts';
import { testWebhookDefinition } from './endpoints/test-webhook.ts';
import { usageDefinition, usageOperation } from './endpoints/usage.ts';
import type { Operation } from './http/handle.ts';

/** Every operation of the API, by its name in logs and code, in the order of the OpenAPI document. */
const DEFINITIONS = {
  'create-batch': createBatchDefinition,
  'estimate-batch': estimateBatchDefinition,
  'list-batches': listBatchesDefinition,
  'batch-status': batchStatusDefinition,
  batch: batchDefinition,
  'batch-results': batchResultsDefinition,
  'batch-total': batchTotalDefinition,
  'cancel-batch': cancelBatchDefinition,
  'retry-batch': retryBatchDefinition,
  'job-status': jobStatusDefinition,
  result: resultDefinition,
  'result-preview': resultPreviewDefinition,
  'result-item': resultItemDefinition,
  'patch-batch-status': patchBatchStatusDefinition,
  'batch-deliveries': batchDeliveriesDefinition,
  redeliver: redeliverDefinition,
  'test-webhook': testWebhookDefinition,
  usage: usageDefinition,
  limits: limitsDefinition,
  models: modelsDefinition,
  'model-style': modelStyleDefinition,
  root: rootDefinition,
  health: healthDefinition,
  openapi: openapiDefinition,
  docs: docsDefinition,
  'problem-page': problemPageDefinition,
  console: consoleDefinition,
  'console-asset': consoleAssetDefinition,
} as const satisfies Readonly<Record<string, OperationDefinition>>;

/** The operations that the function `batches` builds from one set of ports. */
export const READS = {
  'list-batches': listBatchesOperation,
  'batch-status': batchStatusOperation,
  batch: batchStatusOperation,
  'batch-results': batchResultsOperation,
  'batch-total': batchTotalOperation,
  'job-status': jobStatusOperation,
  result: resultOperation,
  'result-preview': resultPreviewOperation,
  'result-item': resultItemOperation,
  'patch-batch-status': patchBatchStatusOperation,
  'batch-deliveries': batchDeliveriesOperation,
  usage: usageOperation,
  limits: limitsOperation,
  models: modelsOperation,
  'model-style': modelStyleOperation,
} as const satisfies Builders;

/** The operations that the function `open` serves. */
export const OPEN = {
  root: rootOperation,
  health: healthOperation,
  openapi: openApiOperation,
  docs: docsOperation,
  'problem-page': problemPageOperation,
  console: consolePageOperation,
  'console-asset': consoleAssetOperation,
} as const satisfies Builders;

type Definitions = typeof DEFINITIONS;

export type OperationName = keyof Definitions;

/** A file in `lambdas/api/functions/` that serves operations. */
export type HandlerFile = Definitions[OperationName]['handler'];

/** The names of the operations that one function serves. */
export type ServedBy<File extends HandlerFile> = {
  [Name in OperationName]: Definitions[Name]['handler'] extends File ? Name : never;
}[OperationName];

export interface PublishedOperation extends OperationDefinition {
  readonly name: OperationName;
  readonly handler: HandlerFile;
}

export const OPERATIONS: readonly PublishedOperation[] = Object.entries(DEFINITIONS).map(
  ([name, definition]) => ({ name: name as OperationName, ...definition }),
);

export function operationNamed(name: OperationName): PublishedOperation {
  return { name, ...DEFINITIONS[name] };
}

/** Operations by name, each built from the ports it needs. */
export type Builders = Readonly<Record<string, (ports: never) => Operation>>;

/** The ports that all operations of a group need. */
export type PortsOf<Group extends Builders> = {
  [Name in keyof Group]: Group[Name] extends (ports: infer Ports) => Operation
    ? (ports: Ports) => void
    : never;
}[keyof Group] extends (ports: infer Ports) => void
  ? Ports
  : never;

/** Builds each operation of a group. */
export function builtWith<Group extends Builders>(
  group: Group,
  ports: PortsOf<Group>,
): Readonly<Record<keyof Group, Operation>> {
  const built = Object.entries(group).map(([name, build]) => [name, build(ports as never)]);
  return Object.fromEntries(built) as Readonly<Record<keyof Group, Operation>>;
}
