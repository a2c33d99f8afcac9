import { env, items, objects } from '../access.ts';
import type { Foundation } from '../stateful-stack.ts';
import {
  covariatesInS3,
  finishingAndDispatching,
  type Grants,
  modelPacks,
  type WebhookQueues,
} from './grants.ts';

// Permissions of the steps of a batch.

export function planJob({ config, storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'put', 'update'),
    objects(storage, 'requests/', 'read'),
    modelPacks(config),
    ...covariatesInS3(config),
  ];
}

export function predictPatchBatch({ config, storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'update', 'check'),
    objects(storage, 'requests/', 'read'),
    // A retry copies blocks from the batch that it retries.
    objects(storage, 'work/', 'read', 'write'),
    modelPacks(config),
    ...covariatesInS3(config),
  ];
}

export function failPatchBatch({ storage }: Foundation): Grants {
  return [items(storage, 'batches', 'get', 'update', 'check')];
}

export function assembleRaster({ config, storage, version }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query', 'update'),
    objects(storage, 'requests/', 'read'),
    objects(storage, 'work/', 'read', 'write'),
    objects(storage, 'results/', 'exists', 'upload'),
    modelPacks(config),
    env({ SERVICE_VERSION: version }),
  ];
}

export function finishJob({ storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query', 'update'),
    objects(storage, 'results/', 'exists'),
  ];
}

/** @param batchesArn of the state machine, which itself invokes this function */
export function finishBatch(
  foundation: Foundation,
  queues: WebhookQueues,
  batchesArn: string,
): Grants {
  return [
    ...finishingAndDispatching(foundation, queues, batchesArn),
    items(foundation.storage, 'times', 'get', 'put'),
  ];
}
