import { Duration } from 'aws-cdk-lib';
import { type IWidget, LogQueryWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { LONG_QUEUE } from './alarm-rules.ts';
import { serviceMetric } from './service-metrics.ts';
import type { Watched } from './watched.ts';
import { COLOUR, graph, PERCENTILES } from './widgets.ts';

/** Rows of the operations dashboard: running batches, throughput, and the webhook queue. */
export function progressRows(watched: Watched): readonly (readonly IWidget[])[] {
  return [[running(watched)], batches(watched), work(watched), queued(watched)];
}

/** The steps log the end of each job, and they or the reconciler that of the batch: nothing else is read. */
function running({ pipeline, reconciler }: Watched): IWidget {
  return new LogQueryWidget({
    title: 'Running batches',
    logGroupNames: [...pipeline.steps, reconciler].map(({ logGroup }) => logGroup.logGroupName),
    queryLines: [
      'filter event in ["plan-job", "assemble-raster", "finish-job", "finish-batch"]',
      `stats ${[
        'latest(tenant) as whose',
        'sum(outcome = "assembled" or outcome = "completed") as completed',
        'sum(outcome = "refused" or outcome = "failed") as failed',
        'max(total_jobs) as jobs',
        'sum(event = "finish-batch" and outcome != "threw") as ends',
        'min(@timestamp) as first_line',
        'max(@timestamp) as last_line by batch_id',
      ].join(', ')}`,
      'filter ends = 0',
      'sort first_line asc',
      'display batch_id, whose, completed, failed, jobs, first_line, last_line',
      'limit 50',
    ],
    width: 24,
    height: 6,
  });
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
