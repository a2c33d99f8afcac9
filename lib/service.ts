import { type App, Tags } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { StageConfig } from './config/stage-config.ts';
import { ObservabilityStack } from './observability-stack.ts';
import { listStackNames } from './stages.ts';
import type { Foundation } from './stateful-stack.ts';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

/** The stacks are in deployment order. */
export type Service = readonly [
  stateful: StatefulStack,
  stateless: StatelessStack,
  observability: ObservabilityStack,
];

/**
 * Context that `npm run deploy` sets until every stack of the stage exists; until then no stack is protected from
 * deletion.
 */
export const FIRST_DEPLOYMENT = 'first-deployment';

/**
 * Builds the whole service of one stage as three stacks, so that deploying code cannot affect data, and monitoring
 * cannot block changes to what it monitors.
 * @param version the version that the deployment reports
 */
export function buildService(app: App, configured: StageConfig, version: string): Service {
  const isFirst = app.node.tryGetContext(FIRST_DEPLOYMENT) === 'true';
  const config = isFirst ? { ...configured, deletionProtection: false } : configured;
  const names = listStackNames(config.stage);
  const stateful = new StatefulStack(app, names.stateful, { config });
  const { storage, secrets } = stateful;
  const foundation: Foundation = { config, storage, secrets, version };
  const stateless = new StatelessStack(app, names.stateless, { foundation });
  const observability = new ObservabilityStack(app, names.observability, {
    foundation,
    service: stateless,
  });
  const service = [stateful, stateless, observability] as const;
  const tags = { ...config.tags, service: 'soil-batch', stage: config.stage };
  for (const stack of service) {
    for (const [key, value] of Object.entries(tags)) Tags.of(stack).add(key, value);
    if (config.permissionsBoundary === undefined) continue;
    const boundary = ManagedPolicy.fromManagedPolicyArn(
      stack,
      'PermissionsBoundary',
      config.permissionsBoundary,
    );
    PermissionsBoundary.of(stack).apply(boundary);
  }
  return service;
}
