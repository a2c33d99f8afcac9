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

export function planJob(foundation: Foundation): Grants {
  const { storage } = foundation;
  return [
    items(storage, 'batches', 'get', 'put', 'update'),
    objects(storage, 'requests/', 'read'),
    ...covariates(foundation),
  ];
}

export function predictPatchBatch(foundation: Foundation): Grants {
  const { storage } = foundation;
  return [
    items(storage, 'batches', 'get', 'update', 'check'),
    objects(storage, 'requests/', 'read'),
    // A retry copies blocks from the batch that it retries.
    objects(storage, 'work/', 'read', 'write'),
    ...covariates(foundation),
  ];
}

/** Packs whose covariates may be elsewhere. */
function covariates({ config, version }: Foundation): Grants {
  const { atOnce, perSecond, contact = 'none' } = config.covariateRequests;
  return [
    modelPacks(config),
    ...covariatesInS3(config),
    env({
      SERVICE_VERSION: version,
      COVARIATE_CONTACT: contact,
      COVARIATE_REQUESTS_AT_ONCE: String(atOnce),
      COVARIATE_REQUESTS_PER_SECOND: String(perSecond),
    }),
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
