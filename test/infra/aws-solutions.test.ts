import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { synthesiseEverything } from '../support/infra/everything.ts';
import { synthesise } from '../support/infra/synthesised.ts';

interface Acknowledged {
  /** The rule, for some rules followed in brackets by what it found. */
  readonly finding: RegExp;
  /** The paths, without the stage, of the constructs that may have the finding. */
  readonly at: RegExp;
  readonly reason: string;
}

/** Acknowledged findings of the rule pack AwsSolutions. */
const ACKNOWLEDGED: readonly Acknowledged[] = [
  {
    finding: /^AwsSolutions-S1$/,
    at: /^Stateful\/Storage\/(Work|Results)Bucket\/Resource$/,
    reason:
      'S3 writes the whole URL into an access log, and a signed URL gives access to the raster for 24 hours. CloudTrail data events record reads without it (docs/security.md).',
  },
  {
    finding: /^AwsSolutions-SMG4$/,
    at: /^Stateful\/Secrets\/(CursorSecret\/Resource|SigningSecret)$/,
    reason:
      'The signing key is rotated every 30 days; its schedule is in the other stack, with the function that rotates. The cursor key protects no data: a cursor holds a position in the client’s own list.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::.*\/(results|requests|deliveries|work|totals)\/\*\]$/,
    at: /(SigningUser|Role)(\/DefaultPolicy)?\/Resource$/,
    reason: 'One prefix of one bucket; below it, keys begin with a batch ID.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:iam::\*:role\/\*\]$/,
    at: /^Stateless\/Pipeline\/CopyResultsRole\/Resource$/,
    reason: 'Roles of clients, which trust this account; those of this account are denied.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    at: /Role(\/DefaultPolicy)?\/Resource$/,
    reason:
      'X-Ray’s PutTraceSegments and PutTelemetryRecords and Secrets Manager’s GetRandomPassword have no resource-level permissions.',
  },
  {
    finding: /^AwsSolutions-IAM4\[Policy::.*AmazonAPIGatewayPushToCloudWatchLogs\]$/,
    at: /^Stateless\/Api\/AccessLogRole\/Resource$/,
    reason: 'The policy that API Gateway requires for an account-wide setting.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::<\w+\.Arn>:\*\]$/,
    at: /^Stateless\/(SigningKey\/FirstKeyProviderRole|Pipeline)\//,
    reason: 'Any version of one function: a running batch invokes those it started with.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:states:.*execution:.*\*\]$/,
    at: /^Stateless\/(Pipeline|Reconciler|Api|Webhooks)\//,
    reason: 'Executions of one state machine: their names are the IDs of batches.',
  },
  {
    finding: /^AwsSolutions-SF1$/,
    at: /^Stateless\/Pipeline\/Batches\/Resource$/,
    reason:
      'The history of a STANDARD execution is kept for 90 days by Step Functions itself; logging every event too would cost more than the functions.',
  },
  {
    finding: /^AwsSolutions-APIG2$/,
    at: /^Stateless\/Api\/V[12]\/Resource$/,
    reason:
      'Functions validate every request with the schemas of the documentation and name the invalid field; the gateway’s validator names none.',
  },
  {
    finding: /^AwsSolutions-APIG6$/,
    at: /^Stateless\/Api\/V[12]\/DeploymentStage\.live\/Resource$/,
    reason: 'Execution logs hold bodies, and so webhook secrets; access logs are on.',
  },
  {
    finding: /^AwsSolutions-COG4$/,
    at: /^Stateless\/Api\/V[12]\//,
    reason:
      'Clients are programs with API keys, checked by the service’s own authorizer; there are no users.',
  },
  {
    finding: /^AwsSolutions-APIG4$/,
    at: /^Stateless\/Api\/V[12]\/Default\/.*(ANY|OPTIONS)?\/Resource$/,
    reason:
      'Health, documentation and the fallback that knows which methods exist need no key; test/infra/apis.test.ts checks that every other operation does.',
  },
];

const findings = [synthesise('prod'), synthesiseEverything()]
  .flatMap(({ app }) => new AwsSolutionsChecks().validateScope(app).violations)
  .flatMap((violation) =>
    violation.violatingResources.map((resource) => ({
      finding: violation.ruleName,
      at: (resource.constructPath ?? '').replace(/^SoilBatch-prod-/, ''),
    })),
  );

const covers = (entry: Acknowledged, { finding, at }: (typeof findings)[number]) =>
  entry.finding.test(finding) && entry.at.test(at);

describe('the AwsSolutions rules', () => {
  it('report only acknowledged findings', () => {
    const unknown = findings.filter((each) => !ACKNOWLEDGED.some((entry) => covers(entry, each)));
    expect(unknown).toEqual([]);
  });

  it.each(ACKNOWLEDGED)(
    'still report $finding, so its acknowledgement is still needed',
    (entry) => {
      expect(findings.some((each) => covers(entry, each))).toBe(true);
      expect(entry.reason.length).toBeGreaterThan(40);
    },
  );
});
