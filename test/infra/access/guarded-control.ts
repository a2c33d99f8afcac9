import { ACCOUNT, OTHER_ACCOUNT } from './deployed.ts';
import { type Find, type Guard, type Guarded, NOBODY } from './guarded-data.ts';
import type { Context } from './may.ts';

export function guardsOfControl(find: Find): readonly Guard[] {
  const user = find('AWS::IAM::User', 'SigningUser');
  const role = find('AWS::IAM::Role', 'ApiAuthorizerRole');
  const otherUser = user.replace(/\/[^/]+$/, '/other');
  const results = find('AWS::S3::Bucket', 'ResultsBucket');
  const topic = find('AWS::SNS::Topic', 'Alarms');
  const keys = ['DataKey', 'ResultsKey', 'WebhookKey', 'AlarmKey'].map((id) =>
    find('AWS::KMS::Key', id),
  );
  const batches = find('AWS::StepFunctions::StateMachine', 'Batches');
  const secret = find('AWS::SecretsManager::Secret', 'SigningSecret');
  const rotation = [
    'lambda:InvokeFunction',
    find('AWS::Lambda::Function', 'SigningKeyRotateKey'),
  ] as const;
  const alarm = topic.replace(':sns:', ':cloudwatch:').replace(/[^:]+$/, 'alarm:Any');
  const alarmKey = find('AWS::KMS::Key', 'AlarmKey');
  const alarming = [
    ['sns:Publish', topic],
    ['kms:Decrypt', alarmKey],
    ['kms:GenerateDataKey', alarmKey],
  ] as const;
  return [
    {
      what: 'create a key of the signing user',
      calls: [['iam:CreateAccessKey', user]],
      only: ['SigningKeyFirstKey', 'SigningKeyRotateKey'],
    },
    {
      what: 'gain permissions, or pass a role',
      calls: [
        ['iam:CreateAccessKey', otherUser],
        ['iam:PutUserPolicy', user],
        ['iam:AttachUserPolicy', user],
        ['iam:PutRolePolicy', role],
        ['iam:UpdateAssumeRolePolicy', role],
        ['iam:PassRole', role],
        ['lambda:UpdateFunctionCode', find('AWS::Lambda::Function', 'ApiAuthorizer')],
        ['lambda:AddPermission', find('AWS::Lambda::Function', 'ApiAuthorizer')],
      ],
      only: NOBODY,
    },
    {
      what: 'change the policy of a bucket, key, topic or secret',
      calls: [
        ['s3:PutBucketPolicy', results],
        ['s3:PutBucketPublicAccessBlock', results],
        ['s3:PutEncryptionConfiguration', results],
        ['s3:PutObjectAcl', `${results}/results/7`],
        ['sns:AddPermission', topic],
        ['secretsmanager:PutResourcePolicy', find('AWS::SecretsManager::Secret', 'SigningSecret')],
        ...keys.flatMap((key): Guarded[] => [
          ['kms:PutKeyPolicy', key],
          ['kms:CreateGrant', key],
          ['kms:ScheduleKeyDeletion', key],
        ]),
      ],
      only: NOBODY,
    },
    {
      what: 'invoke a step of a batch',
      calls: [['lambda:InvokeFunction', find('AWS::Lambda::Version', 'FinishBatchCurrentVersion')]],
      only: ['PipelineBatches'],
    },
    {
      what: 'invoke an operation of the API or its authorizer',
      calls: ['ApiCreations', 'ApiAuthorizer'].map(
        (id): Guarded => ['lambda:InvokeFunction', find('AWS::Lambda::Function', id)],
      ),
      only: ['ApiCaller'],
    },
    {
      what: 'invoke the function that delivers webhooks',
      calls: [['lambda:InvokeFunction', find('AWS::Lambda::Function', 'WebhooksDeliverWebhook')]],
      only: NOBODY,
    },
    {
      what: 'rotate the signing key',
      calls: [[...rotation, from(secret)]],
      only: ['secretsmanager.amazonaws.com'],
    },
    {
      what: 'rotate the signing key for another account',
      calls: [[...rotation, from(secret, OTHER_ACCOUNT)]],
      only: NOBODY,
    },
    {
      what: 'assume the role of a function',
      calls: [['sts:AssumeRole', role]],
      only: ['lambda.amazonaws.com'],
    },
    {
      what: 'assume the role of the APIs',
      calls: [['sts:AssumeRole', find('AWS::IAM::Role', 'ApiCaller')]],
      only: ['apigateway.amazonaws.com'],
    },
    {
      what: 'assume the role of batches',
      calls: [['sts:AssumeRole', find('AWS::IAM::Role', 'PipelineBatchesRole'), from(batches)]],
      only: ['states.amazonaws.com'],
    },
    {
      what: 'start a batch',
      calls: [['states:StartExecution', batches]],
      only: [
        'ApiBatches',
        'ApiCreations',
        'PipelineBatches',
        'PipelineFinishBatch',
        'ReconcilerReconcile',
      ],
    },
    {
      what: 'stop a batch',
      calls: [
        ['states:StopExecution', batches.replace(':stateMachine:', ':execution:').concat(':7')],
      ],
      only: ['ApiBatches', 'PipelineBatches', 'ReconcilerReconcile'],
    },
    {
      what: 'publish an alarm, and use the key of alarms for it',
      calls: alarming.map((call): Guarded => [...call, from(alarm)]),
      only: ['cloudwatch.amazonaws.com'],
    },
    {
      what: 'publish an alarm or use the alarm key for another account, or without an alarm',
      calls: alarming.flatMap((call): Guarded[] => [[...call, from(alarm, OTHER_ACCOUNT)], call]),
      only: NOBODY,
    },
  ];
}

/** The context keys that say on whose behalf a service calls. */
function from(arn: string, account = ACCOUNT): Context {
  return { 'aws:SourceArn': arn.replace(ACCOUNT, account), 'aws:SourceAccount': account };
}
