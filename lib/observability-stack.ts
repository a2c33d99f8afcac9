import { type App, Stack } from 'aws-cdk-lib';
import type { Foundation } from './foundation.ts';
import { Alarms } from './observability/alarms.ts';
import { AuthorizerFaults } from './observability/authorizer-faults.ts';
import { CostDashboard } from './observability/cost-dashboard.ts';
import { HealthDashboard } from './observability/health-dashboard.ts';
import { LiveProgress } from './observability/live-progress.ts';
import { ProgressDashboard } from './observability/progress-dashboard.ts';
import { SavedQueries } from './observability/saved-queries.ts';
import type { Watched } from './observability/watched.ts';

export interface ObservabilityStackProps {
  readonly foundation: Foundation;
  /** The resources of the stateless stack. */
  readonly service: Omit<Watched, 'config' | 'storage' | 'widget' | 'authorizerFaults'>;
}

/**
 * Three dashboards (progress, health, cost), alarms with runbooks, and saved queries. It is a separate
 * stack, because a stack is limited to 500 resources and each function adds an alarm.
 */
export class ObservabilityStack extends Stack {
  constructor(scope: App, id: string, { foundation, service }: ObservabilityStackProps) {
    const { config, storage } = foundation;
    super(scope, id, { description: `Soil Batch ${config.stage}: dashboards, alarms, queries` });

    const live = new LiveProgress(this, 'LiveProgress', { foundation });
    const { authorizer } = service.api;
    const authorizerFaults = new AuthorizerFaults(this, 'AuthorizerFaults', { config, authorizer });
    const watched: Watched = { ...service, config, storage, widget: live.show, authorizerFaults };
    const alarms = new Alarms(this, 'Alarms', watched);
    new ProgressDashboard(this, 'Progress', watched, live);
    new HealthDashboard(this, 'Health', watched, alarms.all);
    new CostDashboard(this, 'Cost', watched);
    new SavedQueries(this, 'Queries', watched);
  }
}
