interface Quota {
  readonly limit: number;
  readonly source: string;
}

const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
const API_GATEWAY =
  'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html';
const STEP_FUNCTIONS = 'https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html';
const DYNAMODB =
  'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html';
const S3 = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html';
const IAM = 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html';
const CLOUDFORMATION =
  'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html';
const SQS =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html';

export const AWS_QUOTAS = {
  lambdaPayloadBytes: { limit: 6 * 1024 ** 2, source: LAMBDA },
  lambdaTimeoutSeconds: { limit: 900, source: LAMBDA },
  lambdaMemoryMb: { limit: 10_240, source: LAMBDA },
  lambdaEnvironmentBytes: { limit: 4 * 1024, source: LAMBDA },
  lambdaUnzippedBytes: { limit: 250 * 1024 ** 2, source: LAMBDA },
  lambdaChainedInvocations: {
    limit: 16,
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html',
  },
  lambdaQueueConcurrency: {
    limit: 1_000,
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html',
  },
  apiTimeoutSeconds: { limit: 29, source: API_GATEWAY },
  apiPayloadBytes: { limit: 10 * 1024 ** 2, source: API_GATEWAY },
  apiRequestsPerSecond: { limit: 10_000, source: API_GATEWAY },
  apiBurst: { limit: 5_000, source: API_GATEWAY },
  stateMachineHistoryEvents: { limit: 25_000, source: STEP_FUNCTIONS },
  stateMachinePayloadBytes: { limit: 256 * 1024, source: STEP_FUNCTIONS },
  stateMachineMapRuns: { limit: 1_000, source: STEP_FUNCTIONS },
  stateMachineMapChildren: { limit: 10_000, source: STEP_FUNCTIONS },
  stateMachineInlineIterations: {
    limit: 40,
    source: 'https://docs.aws.amazon.com/step-functions/latest/dg/state-map-inline.html',
  },
  stateMachineArrayRange: {
    limit: 1_000,
    source: 'https://docs.aws.amazon.com/step-functions/latest/dg/intrinsic-functions.html',
  },
  tableItemBytes: { limit: 400 * 1024, source: DYNAMODB },
  queueDelaySeconds: { limit: 900, source: SQS },
  queueVisibilitySeconds: { limit: 12 * 60 * 60, source: SQS },
  uploadPartBytes: { limit: 5 * 1024 ** 3, source: S3 },
  uploadParts: { limit: 10_000, source: S3 },
  uploadPartBytesAtLeast: { limit: 5 * 1024 ** 2, source: S3 },
  kmsEncryptBytes: {
    limit: 4_096,
    source: 'https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html',
  },
  userAccessKeys: { limit: 2, source: IAM },
  rolePolicyCharacters: { limit: 10_240, source: IAM },
  userPolicyCharacters: { limit: 2_048, source: IAM },
  managedPolicyCharacters: { limit: 6_144, source: IAM },
  ssmParameterBytes: {
    limit: 4 * 1024,
    source:
      'https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html',
  },
  stageVariableCharacters: { limit: 512, source: API_GATEWAY },
  apiPolicyBytes: { limit: 8_192, source: API_GATEWAY },
  templateBytes: { limit: 1_000_000, source: CLOUDFORMATION },
  templateResources: { limit: 500, source: CLOUDFORMATION },
  templateOutputs: { limit: 200, source: CLOUDFORMATION },
  templateParameters: { limit: 200, source: CLOUDFORMATION },
  exportNameCharacters: { limit: 255, source: CLOUDFORMATION },
  alarmDescriptionCharacters: {
    limit: 1_024,
    source:
      'https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html',
  },
  resourceTags: {
    limit: 50,
    source: 'https://docs.aws.amazon.com/tag-editor/latest/userguide/reference.html',
  },
} as const satisfies Readonly<Record<string, Quota>>;
