import { notValid, type StageConfig } from './stage-config.ts';

/** A resource that the stacks name, in a region where they can't use it. */
export interface Astray {
  /** Of the configuration. */
  readonly key: string;
  readonly arn: string;
}

/**
 * What must lie in the stacks' own region and does not: certificates of regional APIs, and the topic of
 * alarms.
 */
export function outsideRegion({ domains, alarms }: StageConfig, region: string): readonly Astray[] {
  const named = [
    { key: 'domains.v1.certificateArn', arn: domains?.v1.certificateArn },
    { key: 'domains.v2.certificateArn', arn: domains?.v2.certificateArn },
    { key: 'alarms.topicArn', arn: alarms.topicArn },
  ];
  return named.flatMap(({ key, arn }) =>
    arn === undefined || arn.split(':')[3] === region ? [] : [{ key, arn }],
  );
}

/**
 * @param region where the stacks are deployed; undefined where nobody has said so yet
 * @throws Error that names every key
 */
export function requireOwnRegion(config: StageConfig, region: string | undefined): void {
  const astray = region === undefined ? [] : outsideRegion(config, region);
  if (astray.length === 0) return;
  throw notValid(
    astray.map(
      ({ key, arn }) => `${key}: must be of ${region}, where the stage is deployed; it is ${arn}`,
    ),
  );
}
