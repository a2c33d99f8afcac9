import { RegionInfo } from 'aws-cdk-lib/region-info';
import { listAvailablePacks } from '../build/model-packs.ts';
import { invalidConfigError, type StageConfig } from './stage-config.ts';

interface WrongRegion {
  readonly key: string;
  readonly arn: string;
}

/** The alarm topic, the event bus and the certificates of regional APIs must be in the stacks' Region. */
function listOutsideRegion(
  { domains, alarms, eventBus }: StageConfig,
  region: string,
): readonly WrongRegion[] {
  const named = [
    { key: 'domains.v1.certificateArn', arn: domains?.v1.certificateArn },
    { key: 'domains.v2.certificateArn', arn: domains?.v2.certificateArn },
    { key: 'alarms.topicArn', arn: alarms.topicArn },
    // Only a rule, not a caller, can send an event to a bus in another Region.
    { key: 'eventBus', arn: eventBus === 'default' ? undefined : eventBus },
  ];
  return named.flatMap(({ key, arn }) =>
    arn === undefined || arn.split(':')[3] === region ? [] : [{ key, arn }],
  );
}

/**
 * Whether a Region is in China, GovCloud, the European Sovereign Cloud or isolated. The configuration and permissions
 * support only `arn:aws:`. A Region newer than the CDK has no known partition, and is accepted.
 */
function isOfOtherPartition(region: string): boolean {
  return (RegionInfo.get(region).partition ?? 'aws') !== 'aws';
}

/**
 * The Regions in which CloudFormation can create budgets.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resource-type-support.html
 */
const WITH_BUDGETS =
  /^(us-(east|west)-[12]|ca-central-1|sa-east-1|eu-(central-1|west-[123])|ap-(south-1|(north|south)east-[12]))$/;

/** Whether nobody would be notified of alarms in production, although `alarms.email` is not "none". */
function lacksRecipient({ stage, alarms: { email, topicArn } }: StageConfig): boolean {
  return stage === 'prod' && email === undefined && topicArn === undefined;
}

/**
 * Checks requirements of a deployment that the operator's other commands do not have.
 * @param region the Region of the stacks; undefined if not known yet
 * @throws Error that names every wrong key
 */
export function requireDeployable(config: StageConfig, region: string | undefined): void {
  if (region !== undefined && isOfOtherPartition(region)) {
    throw invalidConfigError([
      `region: ${region} is outside AWS's standard partition, the only one that the service supports; choose another region`,
    ]);
  }
  const elsewhere = region === undefined ? [] : listOutsideRegion(config, region);
  const problems = [
    ...elsewhere.map(
      ({ key, arn }) => `${key}: must be in ${region}, the Region of the stage; got ${arn}`,
    ),
    ...(config.budget !== undefined && region !== undefined && !WITH_BUDGETS.test(region)
      ? [
          `budget: CloudFormation cannot create budgets in ${region}; remove this key, and create a budget by hand`,
        ]
      : []),
    ...(lacksRecipient(config)
      ? [
          'alarms.email: nobody would be notified of alarms in prod; set an address, or alarms.topicArn, or "none" to see alarms only in CloudWatch',
        ]
      : []),
    ...(config.modelPacks.length === 0
      ? [
          `modelPacks: no model pack is chosen for ${config.stage}; add your own or one of ${listAvailablePacks(config).join(', ')} with "npm run pack-add" (docs/model-packs.md)`,
        ]
      : []),
  ];
  if (problems.length > 0) throw invalidConfigError(problems);
}
