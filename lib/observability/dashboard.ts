import { Duration, Stack } from 'aws-cdk-lib';
import {
  type AlarmBase,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type HorizontalAnnotation,
  type IMetric,
  type IWidget,
  LogQueryWidget,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRICS } from '../../lambdas/observability/metric-catalogue.ts';
import { ROTATION_DAYS } from '../signing-key.ts';
import { LONG_QUEUE } from './alarm-rules.ts';
import { listQuotas, type Quota } from './quotas.ts';
import { listFunctions, serviceMetric, type Watched } from './watched.ts';

const period = Duration.minutes(1);

const PERCENTILES = ['p50', 'p95', 'p99'] as const;

const COLOUR = {
  good: '#2ca02c',
  bad: '#d62728',
  warn: '#ff7f0e',
  calm: '#1f77b4',
  faint: '#7f7f7f',
} as const;

const sum = (label: string, color: string) => ({ statistic: 'Sum', label, color });
const gauge = (label: string, color: string) => ({ statistic: 'Maximum', label, color });

export interface OperationsDashboardProps {
  readonly watched: Watched;
  readonly alarms: readonly AlarmBase[];
}

/** Alarms, progress and health of the last hours, in one dashboard because AWS charges per dashboard. */
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
    for (const row of listWidgetRows(watched)) dashboard.addWidgets(...row);
  }
}

/** Lists the rows from top to bottom: progress first, then what may explain a lack of progress. */
function listWidgetRows(watched: Watched): readonly (readonly IWidget[])[] {
  return [
    [listRunning(watched)],
    graphBatches(watched),
    graphWork(watched),
    graphQueued(watched),
    [...graphRequests(watched), ...graphLatencies(watched)],
    graphFunctions(watched),
    [...graphDeliveries(watched), ...graphRepairs(watched)],
    listQuotas(watched).map(graphQuota),
  ];
}

/**
 * Lists the latest log line of each batch that the reconciler, which runs every minute, found running in the last two
 * minutes. Only `limit` may follow `dedup`, which keeps the first line of each batch:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-Dedup.html
 */
function listRunning({ reconciler }: Watched): IWidget {
  const jobs = 'completed_jobs, failed_jobs, total_jobs, completed_patch_batches';
  return new LogQueryWidget({
    title: 'Running batches',
    logGroupNames: [reconciler.logGroup.logGroupName],
    queryLines: [
      `fields batch_id, tenant, ${jobs}, since`,
      'filter event = "running" and toMillis(@timestamp) > (now() - 120) * 1000',
      'sort @timestamp desc',
      'dedup batch_id',
      'limit 50',
    ],
    width: 24,
    height: 6,
  });
}

function graphBatches({ config }: Watched): readonly IWidget[] {
  const limit = config.alarms.oldestUnfinishedMinutes * 60;
  return [
    createGraph('Unfinished batches', {
      unit: 'batches',
      stacked: true,
      left: [
        serviceMetric(config, 'UnfinishedBatches', gauge('processing', COLOUR.calm), 'processing'),
        serviceMetric(config, 'UnfinishedBatches', gauge('pending', COLOUR.faint), 'pending'),
      ],
    }),
    createGraph('Oldest unfinished batch', {
      unit: 'seconds',
      left: [
        serviceMetric(config, 'OldestUnfinishedBatch', gauge('running', COLOUR.calm), 'running'),
        serviceMetric(config, 'OldestUnfinishedBatch', gauge('queued', COLOUR.faint), 'queued'),
      ],
      lines: [
        { value: limit, label: 'alarm: running', color: COLOUR.bad },
        { value: LONG_QUEUE.toSeconds(), label: 'alarm: queued', color: COLOUR.warn },
      ],
    }),
    createGraph('Batches finished', {
      unit: 'per minute',
      stacked: true,
      left: [
        serviceMetric(config, 'BatchesFinished', sum('completed', COLOUR.good), 'completed'),
        serviceMetric(config, 'BatchesFinished', sum('partial', COLOUR.warn), 'partial'),
        serviceMetric(config, 'BatchesFinished', sum('failed', COLOUR.bad), 'failed'),
      ],
    }),
    createGraph('Batch duration', {
      unit: 'seconds',
      left: PERCENTILES.map((statistic) =>
        serviceMetric(config, 'BatchDuration', { statistic, label: statistic }),
      ),
    }),
  ];
}

function graphWork({ config }: Watched): readonly IWidget[] {
  return [
    createGraph('Jobs per minute', {
      unit: 'jobs',
      stacked: true,
      left: [
        serviceMetric(config, 'JobsFinished', sum('completed', COLOUR.good), 'completed'),
        serviceMetric(config, 'JobsFinished', sum('refused', COLOUR.warn), 'refused'),
        serviceMetric(config, 'JobsFinished', sum('cancelled', COLOUR.faint), 'cancelled'),
        serviceMetric(config, 'JobsFinished', sum('failed', COLOUR.bad), 'failed'),
      ],
    }),
    createGraph('Patch-batches per minute', {
      unit: 'patch-batches',
      stacked: true,
      left: [
        serviceMetric(config, 'PatchBatchesFinished', sum('predicted', COLOUR.good), 'predicted'),
        serviceMetric(config, 'PatchBatchesFinished', sum('reused', COLOUR.calm), 'reused'),
        serviceMetric(config, 'PatchBatchesFinished', sum('failed', COLOUR.bad), 'failed'),
      ],
    }),
    createGraph('Prediction duration', {
      unit: 'milliseconds',
      left: PERCENTILES.map((statistic) =>
        serviceMetric(config, 'PredictionDuration', { statistic, label: statistic }),
      ),
    }),
    createGraph('Cells predicted', {
      unit: 'cells per minute',
      left: [serviceMetric(config, 'CellsPredicted', sum('cells', COLOUR.calm))],
    }),
  ];
}

function graphQueued({ webhooks: { queue } }: Watched): readonly IWidget[] {
  return [
    createGraph('Queued webhooks', {
      unit: 'webhooks',
      left: [
        queue.metricApproximateNumberOfMessagesVisible({ period, label: 'due' }),
        queue.metricApproximateNumberOfMessagesDelayed({ period, label: 'delayed' }),
        queue.metricApproximateNumberOfMessagesNotVisible({ period, label: 'in flight' }),
      ],
    }),
    createGraph('Oldest webhook in the queue', {
      unit: 'seconds',
      left: [queue.metricApproximateAgeOfOldestMessage({ period, label: 'age' })],
    }),
  ];
}

function graphRequests({ api }: Watched): readonly IWidget[] {
  const gateways = [api.v1, api.v2];
  return [
    createGraph('Requests and errors', {
      unit: 'per minute',
      left: gateways.flatMap((gateway) => [
        gateway.metricCount({ period, statistic: 'Sum', label: `${gateway.node.id} all` }),
        gateway.metricClientError({ period, statistic: 'Sum', label: `${gateway.node.id} 4xx` }),
        gateway.metricServerError({ period, statistic: 'Sum', label: `${gateway.node.id} 5xx` }),
      ]),
    }),
    createGraph('API latency', {
      unit: 'milliseconds',
      left: gateways.flatMap((gateway) =>
        PERCENTILES.map((statistic) =>
          gateway.metricLatency({ period, statistic, label: `${gateway.node.id} ${statistic}` }),
        ),
      ),
    }),
  ];
}

/** CloudWatch provides these metrics for every function free of charge. */
function graphLatencies({ api }: Watched): readonly IWidget[] {
  return PERCENTILES.map((statistic) =>
    createGraph(`Duration by function, ${statistic}`, {
      unit: 'milliseconds',
      width: 8,
      left: api.functions.map((fn) => fn.metric('Duration', { period, statistic, label: fn.id })),
    }),
  );
}

function graphFunctions(watched: Watched): readonly IWidget[] {
  const { table } = watched.storage;
  const all = listFunctions(watched);
  return [
    createGraph('Function errors', {
      unit: 'per minute',
      // The authorizer's "Errors" include the keys that it rejects; its faults are 5xx of the API.
      left: all
        .filter((fn) => fn !== watched.api.authorizer)
        .map((fn) => fn.metric('Errors', { period, label: fn.id })),
    }),
    createGraph('Throttles', {
      unit: 'per minute',
      left: [
        ...all.map((fn) => fn.metric('Throttles', { period, label: fn.id })),
        table.metric('ReadThrottleEvents', { period, statistic: 'Sum', label: 'table reads' }),
        table.metric('WriteThrottleEvents', { period, statistic: 'Sum', label: 'table writes' }),
      ],
    }),
    createGraph('Concurrent steps', {
      unit: 'functions',
      left: watched.pipeline.steps.map((fn) =>
        fn.metric('ConcurrentExecutions', { period, statistic: 'Maximum', label: fn.id }),
      ),
    }),
    createGraph('Executions', {
      unit: 'per minute',
      left: [
        watched.pipeline.batches.metricStarted({ period, label: 'started' }),
        watched.pipeline.batches.metricSucceeded({
          period,
          label: 'succeeded',
          color: COLOUR.good,
        }),
        watched.pipeline.batches.metricFailed({ period, label: 'failed', color: COLOUR.bad }),
        watched.pipeline.batches.metricTimedOut({ period, label: 'timed out' }),
        watched.pipeline.batches.metricAborted({ period, label: 'aborted' }),
      ],
    }),
  ];
}

function graphDeliveries({ config, webhooks: { deadLetterQueue } }: Watched): readonly IWidget[] {
  return [
    createGraph('Delivery attempts', {
      unit: 'per minute',
      stacked: true,
      left: [
        serviceMetric(config, 'DeliveryAttempts', sum('acknowledged', COLOUR.good), 'acknowledged'),
        serviceMetric(config, 'DeliveryAttempts', sum('retried', COLOUR.warn), 'retried'),
        serviceMetric(config, 'DeliveryAttempts', sum('permanent', COLOUR.faint), 'permanent'),
        serviceMetric(config, 'DeliveryAttempts', sum('exhausted', COLOUR.bad), 'exhausted'),
      ],
    }),
    createGraph('Receivers', {
      unit: 'milliseconds',
      rightUnit: 'dead letters',
      left: ['p50', 'p95'].map((statistic) =>
        serviceMetric(config, 'DeliveryDuration', { statistic, label: `response ${statistic}` }),
      ),
      right: [
        deadLetterQueue.metricApproximateNumberOfMessagesVisible({
          period,
          label: 'in the dead-letter queue',
          color: COLOUR.bad,
        }),
      ],
    }),
  ];
}

function graphRepairs({ config }: Watched): readonly IWidget[] {
  const age = serviceMetric(config, 'SigningKeyAge', {
    statistic: 'Maximum',
    period: Duration.hours(1),
  });
  return [
    createGraph('Reconciler repairs', {
      unit: 'per minute',
      left: [
        serviceMetric(config, 'ReconcilerRuns', sum('runs', COLOUR.faint)),
        ...METRICS.ReconcilerFinds.values.map((repair) =>
          serviceMetric(config, 'ReconcilerFinds', { statistic: 'Sum', label: repair }, repair),
        ),
      ],
    }),
    createGraph('Age of the signing key', {
      unit: 'days',
      left: [
        new MathExpression({
          expression: 'age / 86400',
          usingMetrics: { age },
          label: 'age',
          period: Duration.hours(1),
        }),
      ],
      lines: [{ value: ROTATION_DAYS, label: 'rotation', color: COLOUR.faint }],
    }),
  ];
}

function graphQuota({ title, used, limit }: Quota): IWidget {
  const isFixed = typeof limit === 'number';
  return createGraph(title, {
    width: 8,
    left: isFixed ? [used] : [used, limit],
    lines: isFixed ? [{ value: limit, label: 'ceiling', color: COLOUR.bad }] : [],
  });
}

interface GraphOptions {
  readonly left: readonly IMetric[];
  readonly right?: readonly IMetric[];
  readonly unit?: string;
  readonly rightUnit?: string;
  readonly stacked?: boolean;
  readonly lines?: readonly HorizontalAnnotation[];
  /** The width in columns, of which a row has 24. @default 12 */
  readonly width?: number;
}

function createGraph(title: string, options: GraphOptions): GraphWidget {
  const { left, right = [], unit, rightUnit, stacked = false, lines = [], width = 12 } = options;
  return new GraphWidget({
    title,
    left: [...left],
    right: [...right],
    width,
    height: 6,
    stacked,
    leftYAxis: { min: 0, ...(unit === undefined ? {} : { label: unit, showUnits: false }) },
    rightYAxis: {
      min: 0,
      ...(rightUnit === undefined ? {} : { label: rightUnit, showUnits: false }),
    },
    leftAnnotations: [...lines],
    liveData: true,
  });
}
