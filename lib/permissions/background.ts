import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  allowed,
  index,
  items,
  objects,
  sendTo,
  throughService,
  told,
  webhookKey,
} from '../access.ts';
import type { Foundation, WebhookQueues } from '../foundation.ts';
import { executions, type Grants, receivers, signingSecret, signUrls } from './grants.ts';
import { finishBatch } from './steps.ts';

// What each function may do that no client and no batch calls.

export function deliverWebhook(
  { config, storage, secrets, version }: Foundation,
  { queue, deadLetterQueue }: WebhookQueues,
): Grants {
  return [
    items(storage, 'batches', 'get', 'query', 'put', 'update'),
    objects(storage, 'requests/', 'read'),
    objects(storage, 'deliveries/', 'read', 'write'),
    webhookKey(storage, 'kms:Decrypt'),
    ...signUrls(storage, secrets),
    sendTo('WEBHOOK_QUEUE_URL', queue),
    sendTo('WEBHOOK_DEAD_LETTER_QUEUE_URL', deadLetterQueue),
    receivers(config),
    told({
      SERVICE_VERSION: version,
      WEBHOOK_SCHEDULE_FACTOR: String(config.webhooks.scheduleFactor),
    }),
  ];
}

export function reconcile(
  foundation: Foundation,
  batches: StateMachine,
  queues: WebhookQueues,
): Grants {
  const { config, storage } = foundation;
  return [
    ...finishBatch(foundation, queues, batches.stateMachineArn),
    index(storage, 'unfinished'),
    index(storage, 'undelivered'),
    items(storage, 'sweeps', 'get', 'put'),
    executions(batches, 'states:DescribeExecution', 'states:StopExecution'),
    told({ DEADLINE_HOURS: String(config.deadlineHours) }),
  ];
}

/** Reads, for operators, what every tenant's batches are doing. */
export function showProgress({ storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    index(storage, 'unfinished'),
    objects(storage, 'requests/', 'read'),
  ];
}

/** Makes keys of the one signing user, tries them on the bucket, keeps them in the one secret. */
export function makeSigningKeys(foundation: Foundation): Grants {
  const { storage, secrets } = foundation;
  return [
    ...removeSigningKeys(foundation),
    told({ RESULTS_BUCKET: storage.resultsBucket.bucketName }),
    allowed({}, ['iam:CreateAccessKey'], secrets.signingUser.userArn),
    allowed({}, ['secretsmanager:PutSecretValue'], secrets.signingSecretArn),
    {
      environment: {},
      statements: [
        throughService(storage, 'secretsmanager', storage.dataKey.keyArn, ['kms:GenerateDataKey']),
      ],
    },
  ];
}

export function removeSigningKeys({ storage, secrets }: Foundation): Grants {
  return [
    allowed(
      { SIGNING_USER_NAME: secrets.signingUser.userName },
      ['iam:DeleteAccessKey', 'iam:ListAccessKeys'],
      secrets.signingUser.userArn,
    ),
    signingSecret(storage, secrets),
    allowed(
      {},
      ['secretsmanager:DescribeSecret', 'secretsmanager:UpdateSecretVersionStage'],
      secrets.signingSecretArn,
    ),
  ];
}
