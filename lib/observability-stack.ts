import { type App, Stack } from 'aws-cdk-lib';
import type { Foundation } from './foundation.ts';
import { Alarms } from './observability/alarms.ts';
import { CostDashboard } from './observability/cost-dashboard.ts';
import { LiveProgress } from './observability/live-progress.ts';
import { OperationsDashboard } from './observability/operations-dashboard.ts';
import { SavedQueries } from './observability/saved-queries.ts';
import type { Watched } from './observability/watched.ts';

export interface ObservabilityStackProps {
  readonly foundation: Foundation;
  /** The resources of the stateless stack. */
  readonly service: Omit<Watched, 'config' | 'storage' | 'widget'>;
}

/**
 * Two dashboards (operations, cost), alarms with runbooks, and saved queries. It is a separate stack, because
 * a stack is limited to 500 resources.
 */
export class ObservabilityStack extends Stack {
  constructor(scope: App, id: string, { foundation, service }: ObservabilityStackProps) {
    const { config, storage } = foundation;
    super(scope, id, { description: `Soil Batch ${config.stage}: dashboards, alarms, queries` });

    const live = new LiveProgress(this, 'LiveProgress', { foundation });
    const watched: Watched = { ...service, config, storage, widget: live.show };
    const alarms = new Alarms(this, 'Alarms', watched);
    new OperationsDashboard(this, 'Operations', { watched, live, alarms: alarms.all });
    new CostDashboard(this, 'Cost', watched);
    new SavedQueries(this, 'Queries', watched);
  }
}
