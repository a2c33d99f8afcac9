import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  allowed,
  env,
  index,
  items,
  objects,
  sendTo,
  throughService,
  webhookKey,
} from '../access.ts';
import type { Foundation, WebhookQueues } from '../foundation.ts';
import { executions, type Grants, receivers, signingSecret, signUrls } from './grants.ts';
import { finishBatch } from './steps.ts';

// Permissions of the functions that neither an API nor the state machine invokes.

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
    env({
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
    items(storage, 'scans', 'get', 'put'),
    executions(batches, 'states:DescribeExecution', 'states:StopExecution'),
    env({ DEADLINE_HOURS: String(config.deadlineHours) }),
  ];
}

/** Reads the progress of all tenants' batches, for operators. */
export function showProgress({ storage }: Foundation): Grants {
  return [
    items(storage, 'batches', 'get', 'query'),
    index(storage, 'unfinished'),
    objects(storage, 'requests/', 'read'),
  ];
}

/** Creates access keys of the signing user, tests them on the bucket and stores them in the secret. */
export function makeSigningKeys(foundation: Foundation): Grants {
  const { storage, secrets } = foundation;
  return [
    ...removeSigningKeys(foundation),
    env({ RESULTS_BUCKET: storage.resultsBucket.bucketName }),
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
