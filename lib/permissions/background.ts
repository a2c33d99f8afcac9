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
import type { Foundation } from '../stateful-stack.ts';
import {
  executions,
  finishingAndDispatching,
  type Grants,
  receivers,
  resultsBucketName,
  signingSecret,
  signUrls,
  type WebhookQueues,
} from './grants.ts';

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
    ...finishingAndDispatching(foundation, queues, batches.stateMachineArn),
    index(storage, 'unfinished'),
    index(storage, 'undelivered'),
    items(storage, 'scans', 'get', 'put'),
    executions(batches, 'states:DescribeExecution', 'states:StopExecution'),
    env({ DEADLINE_HOURS: String(config.deadlineHours) }),
  ];
}

/** Creates signing keys, tests them on the results bucket and stores them in the secret. */
export function makeSigningKeys(foundation: Foundation): Grants {
  const { storage, secrets } = foundation;
  return [
    ...removeSigningKeys(foundation),
    resultsBucketName(storage),
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
  const { userName, userArn } = secrets.signingUser;
  return [
    allowed(
      { SIGNING_USER_NAME: userName },
      ['iam:DeleteAccessKey', 'iam:ListAccessKeys'],
      userArn,
    ),
    signingSecret(storage, secrets),
    allowed(
      {},
      ['secretsmanager:DescribeSecret', 'secretsmanager:UpdateSecretVersionStage'],
      secrets.signingSecretArn,
    ),
  ];
}
