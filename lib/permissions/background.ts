import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import {
  type Access,
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
import type { Signer } from '../secrets.ts';
import {
  executions,
  finishingAndDispatching,
  type Grants,
  receivers,
  signingSecret,
  signUrls,
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

/** Creates signing keys, tests them on what serves results and stores them in the secret. */
export function makeSigningKeys(foundation: Foundation): Grants {
  const { storage, secrets } = foundation;
  const { signer } = secrets;
  return [
    ...removeSigningKeys(foundation),
    keyTests(foundation),
    signer.kind === 'iam-user'
      ? allowed({}, ['iam:CreateAccessKey'], signer.user.userArn)
      : allowed({}, ['cloudfront:CreatePublicKey'], '*'),
    allowed({}, ['secretsmanager:PutSecretValue'], secrets.signingSecretArn),
    {
      environment: {},
      statements: [
        throughService(storage, 'secretsmanager', storage.dataKey.keyArn, ['kms:GenerateDataKey']),
      ],
    },
  ];
}

/**
 * Where keys are tested. A distribution verifies them at its own domain, too, which needs no DNS record: the
 * operator can make one only when a deployment has made the distribution.
 */
function keyTests({ storage: { resultsBucket }, secrets: { signer } }: Foundation): Access {
  return env({
    RESULTS_BUCKET: resultsBucket.bucketName,
    RESULTS_ORIGIN: signer.kind === 'cloudfront' ? `https://${signer.distribution.target}` : 'none',
  });
}

export function removeSigningKeys({ storage, secrets }: Foundation): Grants {
  return [
    ...removingFrom(secrets.signer),
    signingSecret(storage, secrets),
    allowed(
      {},
      ['secretsmanager:DescribeSecret', 'secretsmanager:UpdateSecretVersionStage'],
      secrets.signingSecretArn,
    ),
  ];
}

const NO_KEY_GROUP = { SIGNING_KEY_GROUP_ID: 'none', UNUSED_PUBLIC_KEY_ID: 'none' };

function removingFrom(signer: Signer): Grants {
  if (signer.kind === 'iam-user') {
    const { userName, userArn } = signer.user;
    return [
      env(NO_KEY_GROUP),
      allowed(
        { SIGNING_USER_NAME: userName },
        ['iam:DeleteAccessKey', 'iam:ListAccessKeys'],
        userArn,
      ),
    ];
  }
  const { keyGroupId, unusedKeyId } = signer.distribution;
  return [
    env({
      SIGNING_USER_NAME: 'none',
      SIGNING_KEY_GROUP_ID: keyGroupId,
      UNUSED_PUBLIC_KEY_ID: unusedKeyId,
    }),
    // No resource-level permissions:
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudfront.html
    allowed({}, PUBLIC_KEY_ACTIONS, '*'),
  ];
}

const PUBLIC_KEY_ACTIONS = [
  'cloudfront:GetKeyGroup',
  'cloudfront:UpdateKeyGroup',
  'cloudfront:ListPublicKeys',
  'cloudfront:GetPublicKey',
  'cloudfront:DeletePublicKey',
];
