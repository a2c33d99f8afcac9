import { Construct } from 'constructs';
import type { Foundation } from '../foundation.ts';
import { Alarms } from './alarms.ts';
import { CostDashboard } from './cost-dashboard.ts';
import { HealthDashboard } from './health-dashboard.ts';
import { LiveProgress } from './live-progress.ts';
import { ProgressDashboard } from './progress-dashboard.ts';
import { SavedQueries } from './saved-queries.ts';
import type { Watched } from './watched.ts';

export interface ObservabilityProps extends Omit<Watched, 'config' | 'storage' | 'widget'> {
  readonly foundation: Foundation;
}

/** Three dashboards (what runs, what is wrong, what it takes), alarms with runbooks, saved queries. */
export class Observability extends Construct {
  readonly alarms: Alarms;
  readonly live: LiveProgress;

  constructor(scope: Construct, id: string, { foundation, ...service }: ObservabilityProps) {
    super(scope, id);
    const { config, storage } = foundation;
    this.live = new LiveProgress(this, 'LiveProgress', { foundation });
    const watched: Watched = { ...service, config, storage, widget: this.live.show };
    this.alarms = new Alarms(this, 'Alarms', watched);
    new ProgressDashboard(this, 'Progress', watched, this.live);
    new HealthDashboard(this, 'Health', watched, this.alarms.all);
    new CostDashboard(this, 'Cost', watched);
    new SavedQueries(this, 'Queries', watched);
  }
}
