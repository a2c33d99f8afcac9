import { type Find, type Guard, type Guarded, NOBODY } from './guarded-data.ts';

// What few may do with the service itself, or nobody.

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
  return [
    {
      what: 'create a key of the signing user',
      calls: [['iam:CreateAccessKey', user]],
      only: ['SigningKeyFirstKey', 'SigningKeyRotateKey'],
    },
    {
      what: 'gain permissions, or pass a role on',
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
      what: 'invoke the steps of a batch',
      calls: [['lambda:InvokeFunction', find('AWS::Lambda::Version', 'FinishBatchCurrentVersion')]],
      only: ['PipelineBatches'],
    },
    {
      what: 'invoke an operation of the API or its authorizer',
      calls: ['ApiCreateBatch', 'ApiAuthorizer'].map(
        (id): Guarded => ['lambda:InvokeFunction', find('AWS::Lambda::Function', id)],
      ),
      only: ['ApiCaller'],
    },
    {
      what: 'invoke the delivery or the rotation',
      calls: ['WebhooksDeliverWebhook', 'SigningKeyRotateKey'].map(
        (id): Guarded => ['lambda:InvokeFunction', find('AWS::Lambda::Function', id)],
      ),
      only: NOBODY,
    },
    {
      what: 'start a batch',
      calls: [['states:StartExecution', batches]],
      only: ['ApiCreateBatch', 'PipelineBatches', 'PipelineFinishBatch', 'ReconcilerReconcile'],
    },
    {
      what: 'stop a batch',
      calls: [
        ['states:StopExecution', batches.replace(':stateMachine:', ':execution:').concat(':7')],
      ],
      only: ['ApiBatches', 'PipelineBatches', 'ReconcilerReconcile'],
    },
    {
      what: 'publish an alarm',
      calls: [['sns:Publish', topic]],
      only: NOBODY,
    },
  ];
}
