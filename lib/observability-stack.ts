import { type App, CrossStackReferences, ReferenceStrength, Stack } from 'aws-cdk-lib';
import { Alarms } from './observability/alarms.ts';
import { Budget } from './observability/budget.ts';
import { OperationsDashboard } from './observability/dashboard.ts';
import { SavedQueries } from './observability/saved-queries.ts';
import type { Foundation } from './stateful-stack.ts';
import type { StatelessStack } from './stateless-stack.ts';

export interface ObservabilityStackProps {
  readonly foundation: Foundation;
  readonly service: StatelessStack;
}

/**
 * The dashboard of operations, alarms with runbooks, and saved queries. It is a separate stack, because a
 * rejected alarm must not roll back the service. It holds no data, but nothing reports that its alarms are gone:
 * its deletion is refused in production, too.
 */
export class ObservabilityStack extends Stack {
  constructor(scope: App, id: string, { foundation, service }: ObservabilityStackProps) {
    super(scope, id, {
      description: `Soil Batch ${foundation.config.stage}: dashboards, alarms, queries`,
      terminationProtection: foundation.config.deletionProtection,
    });
    // An export in use would block the removal of its resource, until this stack and its alarms are deleted.
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK);

    const { config, storage } = foundation;
    const { api, pipeline, webhooks, reconciler, signingKey } = service;
    const watched = { config, storage, api, pipeline, webhooks, reconciler, signingKey };
    const alarms = new Alarms(this, 'Alarms', watched);
    new OperationsDashboard(this, 'Operations', { watched, alarms: alarms.all });
    new SavedQueries(this, 'Queries', watched);
    const { budget } = config;
    if (budget !== undefined) new Budget(this, 'Budget', { budget });
  }
}
