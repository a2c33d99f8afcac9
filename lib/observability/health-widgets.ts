import { Duration } from 'aws-cdk-lib';
import { type IWidget, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../lambdas/observability/metric-catalogue.ts';
import { type Quota, quotas } from './quotas.ts';
import { serviceMetric } from './service-metrics.ts';
import { functionsOf, type Watched } from './watched.ts';
import { COLOUR, graph, PERCENTILES } from './widgets.ts';

const period = Duration.minutes(1);

/** Rows of the operations dashboard: errors, latency, and use of the account's quotas. */
export function healthRows(watched: Watched): readonly (readonly IWidget[])[] {
  return [
    [...requests(watched), ...latencies(watched)],
    functions(watched),
    [...deliveries(watched), ...repairs(watched)],
    quotas(watched).map(quotaGraph),
  ];
}

function requests({ api }: Watched): readonly IWidget[] {
  const gateways = [api.v1, api.v2];
  return [
    graph('Requests and errors', {
      unit: 'per minute',
      left: gateways.flatMap((gateway) => [
        gateway.metricCount({ period, statistic: 'Sum', label: `${gateway.node.id} all` }),
        gateway.metricClientError({ period, statistic: 'Sum', label: `${gateway.node.id} 4xx` }),
        gateway.metricServerError({ period, statistic: 'Sum', label: `${gateway.node.id} 5xx` }),
      ]),
    }),
    graph('API latency', {
      unit: 'milliseconds',
      left: gateways.flatMap((gateway) =>
        PERCENTILES.map((statistic) =>
          gateway.metricLatency({ period, statistic, label: `${gateway.node.id} ${statistic}` }),
        ),
      ),
    }),
  ];
}

/** CloudWatch has these metrics for every function at no charge. */
function latencies({ api }: Watched): readonly IWidget[] {
  return PERCENTILES.map((statistic) =>
    graph(`Duration by function, ${statistic}`, {
      unit: 'milliseconds',
      width: 8,
      left: api.functions.map((fn) => fn.metric('Duration', { period, statistic, label: fn.id })),
    }),
  );
}

function functions(watched: Watched): readonly IWidget[] {
  const { table } = watched.storage;
  const all = functionsOf(watched);
  return [
    graph('Function errors', {
      unit: 'per minute',
      // Of the authorizer, "Errors" are also the keys that it rejects; its faults are 5xx of the API.
      left: all
        .filter((fn) => fn !== watched.api.authorizer)
        .map((fn) => fn.metric('Errors', { period, label: fn.id })),
    }),
    graph('Throttles', {
      unit: 'per minute',
      left: [
        ...all.map((fn) => fn.metric('Throttles', { period, label: fn.id })),
        table.metric('ReadThrottleEvents', { period, statistic: 'Sum', label: 'table reads' }),
        table.metric('WriteThrottleEvents', { period, statistic: 'Sum', label: 'table writes' }),
      ],
    }),
    graph('Concurrent steps', {
      unit: 'functions',
      left: watched.pipeline.steps.map((fn) =>
        fn.metric('ConcurrentExecutions', { period, statistic: 'Maximum', label: fn.id }),
      ),
    }),
    graph('Executions', {
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

function deliveries({ config, webhooks: { deadLetterQueue } }: Watched): readonly IWidget[] {
  const sum = (label: string, color: string) => ({ statistic: 'Sum', label, color });
  return [
    graph('Delivery attempts', {
      unit: 'per minute',
      stacked: true,
      left: [
        serviceMetric(config, 'DeliveryAttempts', sum('acknowledged', COLOUR.good), 'acknowledged'),
        serviceMetric(config, 'DeliveryAttempts', sum('retried', COLOUR.warn), 'retried'),
        serviceMetric(config, 'DeliveryAttempts', sum('refused', COLOUR.faint), 'refused'),
        serviceMetric(config, 'DeliveryAttempts', sum('exhausted', COLOUR.bad), 'exhausted'),
      ],
    }),
    graph('Receivers', {
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

function repairs({ config }: Watched): readonly IWidget[] {
  const sum = (label: string) => ({ statistic: 'Sum', label });
  const age = serviceMetric(config, 'SigningKeyAge', {
    statistic: 'Maximum',
    period: Duration.hours(1),
  });
  return [
    graph('Reconciler repairs', {
      unit: 'per minute',
      left: [
        serviceMetric(config, 'ReconcilerRuns', { ...sum('runs'), color: COLOUR.faint }),
        ...METRICS.ReconcilerFinds.values.map((repair) =>
          serviceMetric(config, 'ReconcilerFinds', sum(repair), repair),
        ),
      ],
    }),
    graph('Age of the signing key', {
      unit: 'days',
      left: [
        new MathExpression({
          expression: 'age / 86400',
          usingMetrics: { age },
          label: 'age',
          period: Duration.hours(1),
        }),
      ],
      lines: [{ value: 30, label: 'rotation', color: COLOUR.faint }],
    }),
  ];
}

function quotaGraph({ title, used, limit }: Quota): IWidget {
  const isFixed = typeof limit === 'number';
  return graph(title, {
    width: 8,
    left: isFixed ? [used] : [used, limit],
    lines: isFixed ? [{ value: limit, label: 'quota', color: COLOUR.bad }] : [],
  });
}
