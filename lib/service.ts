import { type App, Tags } from 'aws-cdk-lib';
import type { StageConfig } from './config.ts';
import { stackNames } from './stages.ts';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

export interface Service {
  readonly stateful: StatefulStack;
  readonly stateless: StatelessStack;
}

/** The whole service of one stage: two stacks, so that a deploy of code can't touch data. */
export function buildService(app: App, config: StageConfig): Service {
  const names = stackNames(config.stage);
  const stateful = new StatefulStack(app, names.stateful, { config });
  const stateless = new StatelessStack(app, names.stateless, {
    config,
    storage: stateful.storage,
    secrets: stateful.secrets,
  });
  for (const stack of [stateful, stateless]) {
    Tags.of(stack).add('service', 'soil-batch');
    Tags.of(stack).add('stage', config.stage);
  }
  return { stateful, stateless };
}
