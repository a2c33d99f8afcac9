import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { synthesise } from './synthesised.ts';

interface Acknowledged {
  /** Of the finding: the rule, and after it in brackets what it found. */
  readonly finding: RegExp;
  /** Of the construct, without its stage: nowhere else may the finding stand. */
  readonly at: RegExp;
  readonly reason: string;
}

/** What AwsSolutions finds and we keep, each with its reason. Everything else fails this suite. */
const ACKNOWLEDGED: readonly Acknowledged[] = [
  {
    finding: /^AwsSolutions-S1$/,
    at: /^Stateful\/Storage\/(Work|Results)Bucket\/Resource$/,
    reason:
      'S3 writes the whole address into an access log, and ours is a signed URL that opens the raster for 24 hours. CloudTrail data events tell who read what without it (docs/security.md).',
  },
  {
    finding: /^AwsSolutions-SMG4$/,
    at: /^Stateful\/Secrets\/(CursorSecret\/Resource|SigningSecret)$/,
    reason:
      'The signing key is rotated every 30 days; its schedule stands in the other stack, beside the function that rotates. The cursor key protects no data: a cursor holds a position in the caller’s own list.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::.*\/(results|requests|deliveries|work)\/\*\]$/,
    at: /(SigningUser|Role)(\/DefaultPolicy)?\/Resource$/,
    reason: 'One prefix of one bucket, whose keys begin with the id of a batch.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    at: /Role(\/DefaultPolicy)?\/Resource$/,
    reason:
      'X-Ray’s PutTraceSegments and PutTelemetryRecords, and Secrets Manager’s GetRandomPassword, know no resource.',
  },
  {
    finding: /^AwsSolutions-IAM4\[Policy::.*AWSLambdaBasicExecutionRole\]$/,
    at: /^Stateless\/SigningKey\/FirstKeyProvider\//,
    reason: 'CDK’s own function of its provider framework; it writes its log and no more.',
  },
  {
    finding: /^AwsSolutions-IAM4\[Policy::.*AmazonAPIGatewayPushToCloudWatchLogs\]$/,
    at: /^Stateless\/Api\/AccessLogRole\/Resource$/,
    reason: 'The policy that API Gateway asks for, of an account-wide setting.',
  },
  {
    finding: /^AwsSolutions-IAM4\[Policy::.*AWSCodeDeployRoleForLambdaLimited\]$/,
    at: /^Stateless\/Api\/Rollout\/Role\/Resource$/,
    reason: 'The policy that CodeDeploy asks for, in the form that reaches no SNS topic.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::<\w+\.Arn>:\*\]$/,
    at: /^Stateless\/(SigningKey\/FirstKeyProvider|Pipeline)\//,
    reason: 'Any version of one function: a running batch calls those it began with.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:states:.*execution:.*\*\]$/,
    at: /^Stateless\/(Pipeline|Reconciler|Api|Webhooks)\//,
    reason: 'Executions of one state machine: their names are the ids of batches.',
  },
  {
    finding: /^AwsSolutions-SF1$/,
    at: /^Stateless\/Pipeline\/Batches\/Resource$/,
    reason:
      'The history of a STANDARD execution is kept for 90 days by Step Functions itself; every event in a log again would cost more than the functions.',
  },
  {
    finding: /^AwsSolutions-APIG2$/,
    at: /^Stateless\/Api\/V[12]\/Resource$/,
    reason:
      'Functions parse every request by the schemas that the documentation is made from, and name the field; the gateway’s validator names none.',
  },
  {
    finding: /^AwsSolutions-APIG3$/,
    at: /^Stateless\/Api\/V[12]\/DeploymentStage\.live\/Resource$/,
    reason: 'A web ACL is configuration (`webAclArn`): its rules are the account’s.',
  },
  {
    finding: /^AwsSolutions-APIG6$/,
    at: /^Stateless\/Api\/V[12]\/DeploymentStage\.live\/Resource$/,
    reason: 'Execution logs hold bodies, and so webhook secrets; access logs are on.',
  },
  {
    finding: /^AwsSolutions-COG4$/,
    at: /^Stateless\/Api\/V[12]\//,
    reason: 'Clients are programs with API keys, judged by our own authorizer; there are no users.',
  },
  {
    finding: /^AwsSolutions-APIG4$/,
    at: /^Stateless\/Api\/V[12]\/Default\/.*(ANY|OPTIONS)?\/Resource$/,
    reason:
      'Health, documentation and the fallback that knows which methods exist need no key; test/infra/apis.test.ts holds that every operation of the contract does.',
  },
];

const { app } = synthesise('prod');
const findings = new AwsSolutionsChecks().validateScope(app).violations.flatMap((violation) =>
  violation.violatingResources.map((resource) => ({
    finding: violation.ruleName,
    at: (resource.constructPath ?? '').replace(/^SoilBatch-prod-/, ''),
  })),
);

const covers = (entry: Acknowledged, { finding, at }: (typeof findings)[number]) =>
  entry.finding.test(finding) && entry.at.test(at);

describe('the AwsSolutions rules', () => {
  it('find nothing but what is acknowledged, with its reason', () => {
    const unknown = findings.filter((each) => !ACKNOWLEDGED.some((entry) => covers(entry, each)));
    expect(unknown).toEqual([]);
  });

  it.each(ACKNOWLEDGED)('still find $finding, so its reason is still needed', (entry) => {
    expect(findings.some((each) => covers(entry, each))).toBe(true);
    expect(entry.reason.length).toBeGreaterThan(40);
  });
});
