import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  type IMetric,
  type IWidget,
  LogQueryWidget,
  MathExpression,
  type Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { StateTransitionMetric } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { pricesIn } from '../../lambdas/domain/cost/prices.ts';
import type { ValueOf } from '../../lambdas/observability/metric-catalogue.ts';
import { measuredCost } from './measured-cost.ts';
import { serviceMetric } from './service-metrics.ts';
import type { Watched, WatchedFunction } from './watched.ts';
import { COLOUR, graph } from './widgets.ts';

const period = Duration.hours(1);

/**
 * The cost of batches by the cost model, the usage that AWS measured at list prices, and the quantities
 * used and produced.
 */
export class CostDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    this.dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: `${Stack.of(this).stackName}-cost`,
      defaultInterval: Duration.days(14),
    });
    const prices = pricesIn(Stack.of(this).region);
    this.dashboard.addWidgets(...costs(watched));
    this.dashboard.addWidgets(...pricesOf(watched, prices));
    this.dashboard.addWidgets(...produced(watched));
    this.dashboard.addWidgets(...used(watched));
  }
}

const day = Duration.days(1);

/** Labels of the charges of a batch. */
const CHARGES = {
  functions: 'Lambda',
  stateMachine: 'Step Functions',
  table: 'DynamoDB',
  objects: 'S3',
  other: 'other',
} as const satisfies Readonly<Record<ValueOf<'BatchCost'>, string>>;

function costOf({ config }: Watched, charge: keyof typeof CHARGES): Metric {
  const options = { statistic: 'Sum', period: day, label: CHARGES[charge] };
  return serviceMetric(config, 'BatchCost', options, charge);
}

function costs(watched: Watched): readonly IWidget[] {
  const { config } = watched;
  const charges = Object.keys(CHARGES) as readonly (keyof typeof CHARGES)[];
  const total = charges.map((charge) => `FILL(${charge}, 0)`).join(' + ');
  const parts = Object.fromEntries(charges.map((charge) => [charge, costOf(watched, charge)]));
  const finished = { statistic: 'Sum', period: day };
  const outcomes = {
    completed: serviceMetric(config, 'BatchesFinished', finished, 'completed'),
    partial: serviceMetric(config, 'BatchesFinished', finished, 'partial'),
    failed: serviceMetric(config, 'BatchesFinished', finished, 'failed'),
  };
  const mapped = { hectares: serviceMetric(config, 'HectaresMapped', finished) };
  return [
    graph('Cost of finished batches, by service', {
      unit: 'USD per day',
      stacked: true,
      left: charges.map((charge) => costOf(watched, charge)),
    }),
    graph('Cost per batch', {
      unit: 'USD',
      width: 6,
      left: [
        ratio(
          'per batch',
          `(${total}) / (FILL(completed, 0) + FILL(partial, 0) + FILL(failed, 0))`,
          {
            ...parts,
            ...outcomes,
          },
        ),
      ],
    }),
    graph('Cost per 1,000 hectares', {
      unit: 'USD',
      width: 6,
      left: [ratio('per 1,000 ha', `(${total}) / hectares * 1000`, { ...parts, ...mapped })],
    }),
  ];
}

/** Has no value on a day without batches, because CloudWatch omits divisions by zero. */
function ratio(
  label: string,
  expression: string,
  usingMetrics: Readonly<Record<string, IMetric>>,
): MathExpression {
  return new MathExpression({ label, expression, usingMetrics: { ...usingMetrics }, period: day });
}

function pricesOf(
  { pipeline, ...watched }: Watched,
  { region, of }: ReturnType<typeof pricesIn>,
): readonly IWidget[] {
  const finishBatch = pipeline.steps.filter(({ id }) => id === 'FinishBatch');
  return [
    graph(`Measured usage at list prices of ${region}`, {
      unit: 'USD per day',
      stacked: true,
      left: measuredCost({ pipeline, ...watched }, of),
    }),
    new LogQueryWidget({
      title: 'Most expensive batches',
      logGroupNames: finishBatch.map(({ logGroup }) => logGroup.logGroupName),
      queryLines: [
        'filter event = "finish-batch" and ispresent(cost.total)',
        'fields @timestamp, batch_id, status, cost.total, cost.functions, cost.state_machine, cost.objects',
        'sort cost.total desc',
        'limit 20',
      ],
      width: 12,
      height: 6,
    }),
  ];
}

function produced({ config }: Watched): readonly IWidget[] {
  const sum = { statistic: 'Sum', period, color: COLOUR.good };
  return [
    graph('Area mapped', {
      unit: 'hectares per hour',
      left: [serviceMetric(config, 'HectaresMapped', { ...sum, label: 'hectares' })],
    }),
    graph('Patch-batches predicted', {
      unit: 'patch-batches per hour',
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
      unit: 'GB-seconds per hour',
      stacked: true,
      left: [...pipeline.steps, webhooks.deliver, reconciler].map(gigabyteSeconds),
    }),
    graph('DynamoDB', { unit: 'units per hour', left: [units('Read'), units('Write')] }),
    graph('Step Functions, whole account', {
      unit: 'transitions per second',
      left: [StateTransitionMetric.metricConsumedCapacity({ period, label: 'transitions' })],
    }),
    graph('Requests', {
      unit: 'requests per hour',
      left: [api.v1, api.v2].map((gateway) =>
        gateway.metricCount({ statistic: 'Sum', period, label: gateway.node.id }),
      ),
    }),
  ];
}

function gigabyteSeconds(fn: WatchedFunction): MathExpression {
  // Ids of metrics start with a lower-case letter.
  const ms = `ms${fn.id}`;
  return new MathExpression({
    expression: `${ms} / 1000 * ${fn.memoryMb / 1_024}`,
    usingMetrics: { [ms]: fn.metric('Duration', { statistic: 'Sum', period }) },
    label: fn.id,
    period,
  });
}
