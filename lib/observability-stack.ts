import { type App, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { Alarms } from './observability/alarms.ts';
import { Budget } from './observability/budget.ts';
import { OperationsDashboard } from './observability/dashboard.ts';
import { SavedQueries } from './observability/saved-queries.ts';
import { findWatched } from './observability/watched.ts';
import type { Foundation } from './stateful-stack.ts';
import type { StatelessStack } from './stateless-stack.ts';

export interface ObservabilityStackProps {
  readonly foundation: Foundation;
  readonly service: StatelessStack;
}

/**
 * The operations dashboard, alarms with runbooks, and saved queries. It is a separate stack, so that a rejected alarm
 * does not roll back the service. In production its deletion is refused too: although it holds no data, nothing would
 * report that its alarms are gone.
 */
export class ObservabilityStack extends Stack {
  constructor(scope: App, id: string, { foundation, service }: ObservabilityStackProps) {
    super(scope, id, {
      description: `Soil Batch ${foundation.config.stage}: dashboard, alarms, queries`,
      terminationProtection: foundation.config.deletionProtection,
    });
    // References do not imply this dependency, because the stack reads the service's names when it is deployed.
    this.addStackDependency(service);

    const names = new Construct(this, 'Names');
    const watched = findWatched(names, { foundation, service });
    const alarms = new Alarms(this, 'Alarms', watched);
    new OperationsDashboard(this, 'Operations', { watched, alarms: alarms.all });
    new SavedQueries(this, 'Queries', watched);
    const { budget } = foundation.config;
    if (budget !== undefined) new Budget(this, 'Budget', { budget });
  }
}
