import { Aws } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { accessItems, accessObjects, allowActions, setVariables } from '../access.ts';
import type { Foundation } from '../stateful-stack.ts';
import {
  type Grants,
  grantCovariatesInS3,
  grantFinishingAndDispatching,
  setModelPacks,
  setTrust,
  type WebhookQueues,
} from './grants.ts';

// Permissions of the steps of a batch.

export function grantPlanJob(foundation: Foundation): Grants {
  const { storage } = foundation;
  return [
    accessItems(storage, 'batches', 'get', 'put', 'update'),
    accessObjects(storage, 'requests/', 'read'),
    ...grantCovariates(foundation),
  ];
}

export function grantPredictPatchBatch(foundation: Foundation): Grants {
  const { storage } = foundation;
  return [
    accessItems(storage, 'batches', 'get', 'update', 'check'),
    accessObjects(storage, 'requests/', 'read'),
    // A retry copies blocks from the batch that it retries.
    accessObjects(storage, 'work/', 'read', 'write'),
    ...grantCovariates(foundation),
  ];
}

function grantCovariates({ config, version }: Foundation): Grants {
  const { atOnce, perSecond, contact = 'none' } = config.covariateRequests;
  return [
    setModelPacks(config),
    ...grantCovariatesInS3(config),
    setVariables({
      SERVICE_VERSION: version,
      COVARIATE_CONTACT: contact,
      COVARIATE_REQUESTS_AT_ONCE: String(atOnce),
      COVARIATE_REQUESTS_PER_SECOND: String(perSecond),
    }),
  ];
}

export function grantFailPatchBatch({ storage }: Foundation): Grants {
  return [accessItems(storage, 'batches', 'get', 'update', 'check')];
}

export function grantAssembleRaster({ config, storage, version }: Foundation): Grants {
  return [
    accessItems(storage, 'batches', 'get', 'query', 'update'),
    accessObjects(storage, 'requests/', 'read'),
    accessObjects(storage, 'work/', 'read', 'write'),
    accessObjects(storage, 'results/', 'exists', 'upload'),
    setModelPacks(config),
    setVariables({ SERVICE_VERSION: version }),
  ];
}

export function grantFinishJob({ storage }: Foundation): Grants {
  return [
    accessItems(storage, 'batches', 'get', 'query', 'update'),
    accessObjects(storage, 'results/', 'exists'),
  ];
}

/**
 * Lets a function read results with its own rights, and write to clients' buckets with the rights of the clients'
 * roles. No other function may assume a role. The roles of this account are denied, because a tenant could otherwise
 * name one of them.
 */
export function grantCopyResults({ config, storage }: Foundation): Grants {
  const formatRoles = (account: string) => `arn:${Aws.PARTITION}:iam::${account}:role/*`;
  const own = { actions: ['sts:AssumeRole'], resources: [formatRoles(Aws.ACCOUNT_ID)] };
  const { destinationAccounts: accounts = ['*'] } = config;
  return [
    accessItems(storage, 'batches', 'get', 'query', 'update'),
    accessObjects(storage, 'requests/', 'read'),
    accessObjects(storage, 'results/', 'read'),
    setModelPacks(config),
    setTrust(config),
    ...(accounts.length === 0
      ? []
      : [allowActions({}, ['sts:AssumeRole'], ...accounts.map(formatRoles))]),
    { environment: {}, statements: [new PolicyStatement({ effect: Effect.DENY, ...own })] },
  ];
}

/** @param batchesArn the ARN of the state machine that invokes this function */
export function grantFinishBatch(
  foundation: Foundation,
  queues: WebhookQueues,
  batchesArn: string,
): Grants {
  return [
    ...grantFinishingAndDispatching(foundation, queues, batchesArn),
    accessItems(foundation.storage, 'times', 'get', 'put'),
  ];
}
