import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { LONG_QUEUE } from './alarm-rules.ts';
import type { LiveProgress } from './live-progress.ts';
import { serviceMetric } from './service-metrics.ts';
import type { Watched } from './watched.ts';
import { COLOUR, graph } from './widgets.ts';

/** Running batches, throughput, and the webhook queue. */
export class ProgressDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, watched: Watched, live: LiveProgress) {
    super(scope, id);
    this.dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: `${Stack.of(this).stackName}-progress`,
      defaultInterval: Duration.hours(3),
    });
    this.dashboard.addWidgets(live.widget());
    this.addBatches(watched);
    this.addWork(watched);
    this.addQueue(watched);
  }

  private addBatches({ config }: Watched): void {
    const limit = config.alarms.oldestUnfinishedMinutes * 60;
    this.dashboard.addWidgets(
      graph('Unfinished batches', {
        unit: 'batches',
        stacked: true,
        left: [
          serviceMetric(
            config,
            'UnfinishedBatches',
            gauge('processing', COLOUR.calm),
            'processing',
          ),
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
        left: ['p50', 'p95', 'p99'].map((statistic) =>
          serviceMetric(config, 'BatchDuration', { statistic, label: statistic }),
        ),
      }),
    );
  }

  private addWork({ config }: Watched): void {
    this.dashboard.addWidgets(
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
        left: ['p50', 'p95', 'p99'].map((statistic) =>
          serviceMetric(config, 'PredictionDuration', { statistic, label: statistic }),
        ),
      }),
      graph('Cells predicted', {
        unit: 'cells per minute',
        left: [serviceMetric(config, 'CellsPredicted', sum('cells', COLOUR.calm))],
      }),
    );
  }

  private addQueue({ config, webhooks: { queue } }: Watched): void {
    const period = Duration.minutes(1);
    this.dashboard.addWidgets(
      graph('Queued webhooks', {
        unit: 'webhooks',
        left: [
          queue.metricApproximateNumberOfMessagesVisible({ period, label: 'due' }),
          queue.metricApproximateNumberOfMessagesDelayed({ period, label: 'delayed' }),
          queue.metricApproximateNumberOfMessagesNotVisible({ period, label: 'in flight' }),
          serviceMetric(config, 'UndeliveredWebhooks', gauge('undelivered', COLOUR.faint)),
        ],
      }),
      graph('Oldest webhook in the queue', {
        unit: 'seconds',
        left: [queue.metricApproximateAgeOfOldestMessage({ period, label: 'age' })],
      }),
    );
  }
}

const sum = (label: string, color: string) => ({ statistic: 'Sum', label, color });
const gauge = (label: string, color: string) => ({ statistic: 'Maximum', label, color });
