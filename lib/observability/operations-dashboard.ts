import { Duration, Stack } from 'aws-cdk-lib';
import { type AlarmBase, AlarmStatusWidget, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { healthRows } from './health-widgets.ts';
import { progressRows } from './progress-widgets.ts';
import type { Watched } from './watched.ts';

export interface OperationsDashboardProps {
  readonly watched: Watched;
  readonly alarms: readonly AlarmBase[];
}

/** Alarms, progress and health of the last hours. One dashboard, because AWS charges for each. */
export class OperationsDashboard extends Construct {
  constructor(scope: Construct, id: string, { watched, alarms }: OperationsDashboardProps) {
    super(scope, id);
    const dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: `${Stack.of(this).stackName}-operations`,
      defaultInterval: Duration.hours(3),
    });
    dashboard.addWidgets(
      new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 3 }),
    );
    for (const row of [...progressRows(watched), ...healthRows(watched)]) {
      dashboard.addWidgets(...row);
    }
  }
}
