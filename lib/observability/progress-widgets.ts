import { Duration } from 'aws-cdk-lib';
import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { LONG_QUEUE } from './alarm-rules.ts';
import type { LiveProgress } from './live-progress.ts';
import { serviceMetric } from './service-metrics.ts';
import type { Watched } from './watched.ts';
import { COLOUR, graph, PERCENTILES } from './widgets.ts';

/** Rows of the operations dashboard: running batches, throughput, and the webhook queue. */
export function progressRows(
  watched: Watched,
  live: LiveProgress,
): readonly (readonly IWidget[])[] {
  return [[live.widget()], batches(watched), work(watched), queued(watched)];
}

function batches({ config }: Watched): readonly IWidget[] {
  const limit = config.alarms.oldestUnfinishedMinutes * 60;
  return [
    graph('Unfinished batches', {
      unit: 'batches',
      stacked: true,
      left: [
        serviceMetric(config, 'UnfinishedBatches', gauge('processing', COLOUR.calm), 'processing'),
        serviceMetric(config, 'UnfinishedBatches', gauge('pending', COLOUR.faint), 'pending'),
      ],
    }),
    graph('Oldest unfinished batch', {
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
    graph('Batches finished', {
      unit: 'per minute',
      stacked: true,
      left: [
        serviceMetric(config, 'BatchesFinished', sum('completed', COLOUR.good), 'completed'),
        serviceMetric(config, 'BatchesFinished', sum('partial', COLOUR.warn), 'partial'),
        serviceMetric(config, 'BatchesFinished', sum('failed', COLOUR.bad), 'failed'),
      ],
    }),
    graph('Batch duration', {
      unit: 'seconds',
      left: PERCENTILES.map((statistic) =>
        serviceMetric(config, 'BatchDuration', { statistic, label: statistic }),
      ),
    }),
  ];
}

function work({ config }: Watched): readonly IWidget[] {
  return [
    graph('Jobs per minute', {
      unit: 'jobs',
      stacked: true,
      left: [
        serviceMetric(config, 'JobsFinished', sum('completed', COLOUR.good), 'completed'),
        serviceMetric(config, 'JobsFinished', sum('refused', COLOUR.warn), 'refused'),
        serviceMetric(config, 'JobsFinished', sum('cancelled', COLOUR.faint), 'cancelled'),
        serviceMetric(config, 'JobsFinished', sum('failed', COLOUR.bad), 'failed'),
      ],
    }),
    graph('Patch-batches per minute', {
      unit: 'patch-batches',
      stacked: true,
      left: [
        serviceMetric(config, 'PatchBatchesFinished', sum('predicted', COLOUR.good), 'predicted'),
        serviceMetric(config, 'PatchBatchesFinished', sum('reused', COLOUR.calm), 'reused'),
        serviceMetric(config, 'PatchBatchesFinished', sum('failed', COLOUR.bad), 'failed'),
      ],
    }),
    graph('Prediction duration', {
      unit: 'milliseconds',
      left: PERCENTILES.map((statistic) =>
        serviceMetric(config, 'PredictionDuration', { statistic, label: statistic }),
      ),
    }),
    graph('Cells predicted', {
      unit: 'cells per minute',
      left: [serviceMetric(config, 'CellsPredicted', sum('cells', COLOUR.calm))],
    }),
  ];
}

function queued({ webhooks: { queue } }: Watched): readonly IWidget[] {
  const period = Duration.minutes(1);
  return [
    graph('Queued webhooks', {
      unit: 'webhooks',
      left: [
        queue.metricApproximateNumberOfMessagesVisible({ period, label: 'due' }),
        queue.metricApproximateNumberOfMessagesDelayed({ period, label: 'delayed' }),
        queue.metricApproximateNumberOfMessagesNotVisible({ period, label: 'in flight' }),
      ],
    }),
    graph('Oldest webhook in the queue', {
      unit: 'seconds',
      left: [queue.metricApproximateAgeOfOldestMessage({ period, label: 'age' })],
    }),
  ];
}

const sum = (label: string, color: string) => ({ statistic: 'Sum', label, color });
const gauge = (label: string, color: string) => ({ statistic: 'Maximum', label, color });
