import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { QUEUE_DAYS } from '../../lambdas/domain/limits.ts';
import { MAX_KEY_AGE_DAYS } from '../signing-key.ts';
import { listQuotas } from './quotas.ts';
import { serviceMetric, type Watched } from './watched.ts';

export const RUNBOOKS = [
  'oldest-unfinished',
  'oldest-queued',
  'error-rate',
  'jobs-failing',
  'function-errors',
  'throttles',
  'reconciler-silent',
  'batches-restarted',
  'signing-key-old',
  'dead-letters',
  'late-deliveries',
  'delivery-failures',
  'events-unpublished',
  'quota-near',
] as const;
export type Runbook = (typeof RUNBOOKS)[number];

export interface AlarmRule {
  readonly id: string;
  /** The first sentence of the alarm's description. */
  readonly summary: string;
  readonly runbook: Runbook;
  /**
   * An urgent alarm means that clients are affected now or soon, so somebody must act immediately. Other alarms can
   * wait for working hours.
   */
  readonly urgent?: true;
  readonly metric: IMetric;
  readonly threshold: number;
  /** The alarm is raised below the threshold instead of at or above it. */
  readonly below?: true;
  /** @default 1 */
  readonly periods?: number;
  /** @default NOT_BREACHING, so that missing data does not raise the alarm */
  readonly missing?: TreatMissingData;
}

const five = { period: Duration.minutes(5) };
const sum = { ...five, statistic: 'Sum' };
const max = { ...five, statistic: 'Maximum' };

/** A batch that has waited longer than this needs attention. */
export const LONG_QUEUE = Duration.days(1);

/** Each alarm calls for an action. */
export function listAlarmRules(watched: Watched): readonly AlarmRule[] {
  return [
    ...listBatchRules(watched),
    ...listRequestRules(watched),
    ...listDeliveryRules(watched),
    ...listEventRules(watched),
    ...listQuotaRules(watched),
  ];
}

function listBatchRules({ config }: Watched): readonly AlarmRule[] {
  const jobs = {
    completed: serviceMetric(config, 'JobsFinished', sum, 'completed'),
    failed: serviceMetric(config, 'JobsFinished', sum, 'failed'),
  };
  return [
    {
      id: 'OldestUnfinished',
      summary: `A batch has been running for ${config.alarms.oldestUnfinishedMinutes} minutes`,
      runbook: 'oldest-unfinished',
      urgent: true,
      metric: serviceMetric(config, 'OldestUnfinishedBatch', max, 'running'),
      threshold: config.alarms.oldestUnfinishedMinutes * 60,
    },
    {
      id: 'OldestQueued',
      summary: `A batch has waited for a slot for a day; after ${QUEUE_DAYS} days it fails`,
      runbook: 'oldest-queued',
      metric: serviceMetric(config, 'OldestUnfinishedBatch', max, 'queued'),
      threshold: LONG_QUEUE.toSeconds(),
    },
    {
      id: 'JobsFailing',
      summary: 'At least 5 % of jobs, and at least three, fail because of the service',
      runbook: 'jobs-failing',
      urgent: true,
      metric: percentExpression(
        'IF(failed >= 3, 100 * failed / (failed + FILL(completed, 0)), 0)',
        jobs,
      ),
      threshold: 5,
    },
    {
      id: 'ReconcilerSilent',
      summary: 'The reconciler has completed no run for five minutes, so nothing is repaired',
      runbook: 'reconciler-silent',
      urgent: true,
      metric: serviceMetric(config, 'ReconcilerRuns', { statistic: 'Sum' }),
      threshold: 1,
      below: true,
      periods: 5,
      missing: TreatMissingData.BREACHING,
    },
    {
      id: 'BatchesRestarted',
      summary:
        'The reconciler restarted batches at least five times within five minutes, because their executions were lost',
      runbook: 'batches-restarted',
      metric: serviceMetric(config, 'ReconcilerFinds', sum, 'restarted'),
      threshold: 5,
    },
    {
      id: 'SigningKeyOld',
      summary: `The key that signs result URLs is missing or older than ${MAX_KEY_AGE_DAYS} days, or its age is not measured`,
      runbook: 'signing-key-old',
      metric: serviceMetric(config, 'SigningKeyAge', {
        statistic: 'Maximum',
        period: Duration.hours(1),
      }),
      threshold: Duration.days(MAX_KEY_AGE_DAYS).toSeconds(),
      periods: 3,
      // Without data, either there is no key or the hourly function does not run.
      missing: TreatMissingData.BREACHING,
    },
  ];
}

function listRequestRules(watched: Watched): readonly AlarmRule[] {
  const { api, pipeline, webhooks, reconciler, storage } = watched;
  // Faults of the API's functions are counted as 5xx. The signing-key functions run too rarely for this rule: a failure
  // of `FirstKey` fails its deployment, and failures of the others raise the alarm SigningKeyOld.
  const critical = [...pipeline.steps, webhooks.deliver, reconciler];
  const throttled: Readonly<Record<string, IMetric>> = {
    // An alarm's expression takes ten metrics, so this one leaves out copies: they share the account's concurrency with
    // the other steps, which are then usually throttled too.
    ...Object.fromEntries(
      critical
        .filter(({ id }) => id !== 'CopyResults')
        .map((fn, at) => [`f${at}`, fn.metric('Throttles', five)]),
    ),
    reads: storage.table.metric('ReadThrottleEvents', sum),
    writes: storage.table.metric('WriteThrottleEvents', sum),
  };
  // An API without requests in the period has no data.
  const errors = '(FILL(e1, 0) + FILL(e2, 0))';
  return [
    {
      id: 'ErrorRate',
      summary: 'At least 1 % of requests, and at least five, get 5xx',
      runbook: 'error-rate',
      urgent: true,
      metric: percentExpression(
        `IF(${errors} >= 5, 100 * ${errors} / (FILL(n1, 0) + FILL(n2, 0)), 0)`,
        {
          e1: api.v1.metricServerError(five),
          e2: api.v2.metricServerError(five),
          n1: api.v1.metricCount(sum),
          n2: api.v2.metricCount(sum),
        },
      ),
      threshold: 1,
    },
    {
      id: 'ServerErrors',
      summary:
        'At least five requests get 5xx within five minutes, perhaps all of them in one operation',
      runbook: 'error-rate',
      metric: percentExpression(errors, {
        e1: api.v1.metricServerError(five),
        e2: api.v2.metricServerError(five),
      }),
      threshold: 5,
    },
    {
      id: 'Throttles',
      summary: 'Functions or the table have been throttled for ten minutes',
      runbook: 'throttles',
      metric: percentExpression('SUM(METRICS())', throttled),
      // The threshold is low, because throttled steps soon wait for minutes, so few calls are refused. The reconciler
      // alone makes five calls in five minutes.
      threshold: 5,
      periods: 2,
    },
    ...critical.map(
      (fn): AlarmRule => ({
        id: `${fn.id}Errors`,
        summary: `The function ${fn.id} failed at least five times within five minutes`,
        runbook: 'function-errors',
        metric: fn.metric('Errors', five),
        threshold: 5,
      }),
    ),
  ];
}

function listDeliveryRules({ config, webhooks }: Watched): readonly AlarmRule[] {
  const attempts = {
    ok: serviceMetric(config, 'DeliveryAttempts', sum, 'acknowledged'),
    retried: serviceMetric(config, 'DeliveryAttempts', sum, 'retried'),
    exhausted: serviceMetric(config, 'DeliveryAttempts', sum, 'exhausted'),
  };
  const failed = '(FILL(retried, 0) + FILL(exhausted, 0))';
  return [
    {
      id: 'DeadLetters',
      summary: 'All delivery attempts of a webhook failed',
      runbook: 'dead-letters',
      // The alarm does not use the queue's depth, because a message stays in the queue for 14 days and another failure
      // would not change the alarm's state.
      metric: attempts.exhausted,
      threshold: 1,
    },
    {
      id: 'DeadLettersQueued',
      summary: "The webhooks' dead-letter queue is not empty",
      runbook: 'dead-letters',
      // The metric `NumberOfMessagesSent` does not count messages that SQS moves itself.
      // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/dead-letter-queues-alarms-cloudwatch.html
      metric: webhooks.deadLetterQueue.metricApproximateNumberOfMessagesVisible(five),
      threshold: 1,
    },
    {
      id: 'LateDeliveries',
      summary:
        'Webhooks are late: one has been queued for 30 minutes, and the longest scheduled delay is 15 minutes',
      runbook: 'late-deliveries',
      metric: webhooks.queue.metricApproximateAgeOfOldestMessage(five),
      threshold: Duration.minutes(30).toSeconds(),
    },
    {
      id: 'DeliveryFailures',
      summary:
        'At least half of the delivery attempts fail, not counting permanent failures; the cause may be in the service',
      runbook: 'delivery-failures',
      metric: percentExpression(
        `IF(FILL(ok, 0) + ${failed} >= 20, 100 * ${failed} / (FILL(ok, 0) + ${failed}), 0)`,
        attempts,
      ),
      threshold: 50,
      periods: 3,
    },
  ];
}

/**
 * Events that the operator's bus refuses have a separate alarm, so that they do not hide other failures of the
 * reconciler.
 */
function listEventRules({ config }: Watched): readonly AlarmRule[] {
  if (config.eventBus === undefined) return [];
  return [
    {
      id: 'EventsUnpublished',
      summary: 'For 15 minutes, events could not be published on the event bus',
      runbook: 'events-unpublished',
      metric: serviceMetric(config, 'ReconcilerFinds', sum, 'unpublished'),
      threshold: 1,
      periods: 3,
    },
  ];
}

function listQuotaRules(watched: Watched): readonly AlarmRule[] {
  return listQuotas(watched).flatMap(
    ({ id, title, percent, near = "at least 80 % of the account's quota is in use" }) =>
      percent === undefined
        ? []
        : [
            {
              id: `${id}Near`,
              summary: `${title}: ${near}`,
              runbook: 'quota-near',
              metric: percent,
              threshold: 80,
              periods: 3,
            },
          ],
  );
}

function percentExpression(expression: string, usingMetrics: Readonly<Record<string, IMetric>>) {
  return new MathExpression({ expression, usingMetrics: { ...usingMetrics }, ...five });
}
