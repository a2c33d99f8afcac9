import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  accessIndex,
  accessItems,
  accessObjects,
  allowActions,
  allowThroughService,
  sendToQueue,
  setVariables,
  useWebhookKey,
} from '../access.ts';
import type { Foundation } from '../stateful-stack.ts';
import {
  type Grants,
  grantExecutions,
  grantFinishingAndDispatching,
  grantSigningSecret,
  grantSigningUrls,
  setReceivers,
  setResultsBucket,
  type WebhookQueues,
} from './grants.ts';

// Permissions of the functions that neither an API nor the state machine invokes.

export function grantDeliverWebhook(
  { config, storage, secrets, version }: Foundation,
  { queue, deadLetterQueue }: WebhookQueues,
): Grants {
  return [
    accessItems(storage, 'batches', 'get', 'query', 'put', 'update'),
    accessObjects(storage, 'requests/', 'read'),
    accessObjects(storage, 'deliveries/', 'read', 'write'),
    useWebhookKey(storage, 'kms:Decrypt'),
    ...grantSigningUrls(storage, secrets),
    sendToQueue('WEBHOOK_QUEUE_URL', queue),
    sendToQueue('WEBHOOK_DEAD_LETTER_QUEUE_URL', deadLetterQueue),
    setReceivers(config),
    setVariables({
      SERVICE_VERSION: version,
      WEBHOOK_SCHEDULE_FACTOR: String(config.webhooks.scheduleFactor),
    }),
  ];
}

export function grantReconcile(
  foundation: Foundation,
  batches: StateMachine,
  queues: WebhookQueues,
): Grants {
  const { config, storage } = foundation;
  return [
    ...grantFinishingAndDispatching(foundation, queues, batches.stateMachineArn),
    accessIndex(storage, 'unfinished'),
    accessIndex(storage, 'undelivered'),
    accessItems(storage, 'scans', 'get', 'put'),
    grantExecutions(batches, 'states:DescribeExecution', 'states:StopExecution'),
    setVariables({ DEADLINE_HOURS: String(config.deadlineHours) }),
  ];
}

export function grantCreateSigningKeys(foundation: Foundation): Grants {
  const { storage, secrets } = foundation;
  return [
    ...grantRemoveSigningKeys(foundation),
    setResultsBucket(storage),
    allowActions({}, ['iam:CreateAccessKey'], secrets.signingUser.userArn),
    allowActions({}, ['secretsmanager:PutSecretValue'], secrets.signingSecretArn),
    {
      environment: {},
      statements: [
        allowThroughService(storage, 'secretsmanager', storage.dataKey.keyArn, [
          'kms:GenerateDataKey',
        ]),
      ],
    },
  ];
}

export function grantRemoveSigningKeys({ storage, secrets }: Foundation): Grants {
  const { userName, userArn } = secrets.signingUser;
  return [
    allowActions(
      { SIGNING_USER_NAME: userName },
      ['iam:DeleteAccessKey', 'iam:ListAccessKeys'],
      userArn,
    ),
    grantSigningSecret(storage, secrets),
    allowActions(
      {},
      ['secretsmanager:DescribeSecret', 'secretsmanager:UpdateSecretVersionStage'],
      secrets.signingSecretArn,
    ),
  ];
}
