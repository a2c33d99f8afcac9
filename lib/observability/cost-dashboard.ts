import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, type IWidget, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { StateTransitionMetric } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { ServiceFunction } from '../service-function.ts';
import { serviceMetric } from './service-metrics.ts';
import type { Watched } from './watched.ts';
import { COLOUR, graph } from './widgets.ts';

const period = Duration.hours(1);

/** What is used and what it yields: the quantities that AWS bills, an hour each. */
export class CostDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    this.dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: `${Stack.of(this).stackName}-cost`,
      defaultInterval: Duration.days(3),
    });
    this.dashboard.addWidgets(...yielded(watched));
    this.dashboard.addWidgets(...used(watched));
  }
}

function yielded({ config }: Watched): readonly IWidget[] {
  const sum = { statistic: 'Sum', period, color: COLOUR.good };
  return [
    graph('Mapped', {
      unit: 'hectares an hour',
      left: [serviceMetric(config, 'HectaresMapped', { ...sum, label: 'hectares' })],
    }),
    graph('Predicted', {
      unit: 'patch-batches an hour',
      left: [
        serviceMetric(config, 'PatchBatchesFinished', { ...sum, label: 'predicted' }, 'predicted'),
      ],
    }),
  ];
}

function used({ pipeline, api, webhooks, reconciler, storage }: Watched): readonly IWidget[] {
  const units = (kind: 'Read' | 'Write') =>
    storage.table.metric(`Consumed${kind}CapacityUnits`, {
      statistic: 'Sum',
      period,
      label: `${kind.toLowerCase()} units`,
    });
  return [
    graph('Lambda', {
      unit: 'GB-seconds an hour',
      stacked: true,
      left: [...pipeline.steps, webhooks.deliver, reconciler.reconcile].map(gigabyteSeconds),
    }),
    graph('DynamoDB', { unit: 'units an hour', left: [units('Read'), units('Write')] }),
    graph('Step Functions, of the account', {
      unit: 'transitions a second',
      left: [StateTransitionMetric.metricConsumedCapacity({ period, label: 'transitions' })],
    }),
    graph('Requests', {
      unit: 'requests an hour',
      left: [api.v1, api.v2].map((gateway) =>
        gateway.metricCount({ statistic: 'Sum', period, label: gateway.node.id }),
      ),
    }),
  ];
}

function gigabyteSeconds(fn: ServiceFunction): MathExpression {
  // Ids are one graph's: lower case first.
  const ms = `ms${fn.node.id}`;
  return new MathExpression({
    expression: `${ms} / 1000 * ${fn.memoryMb / 1_024}`,
    usingMetrics: { [ms]: fn.metricDuration({ statistic: 'Sum', period }) },
    label: fn.node.id,
    period,
  });
}
