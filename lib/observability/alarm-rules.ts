import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { MAX_KEY_AGE_DAYS } from '../signing-key.ts';
import type { AlarmRule } from './alarm.ts';
import { quotas } from './quotas.ts';
import { serviceMetric } from './service-metrics.ts';
import { errorsOf, functionsOf, type Watched } from './watched.ts';

const five = { period: Duration.minutes(5) };
const sum = { ...five, statistic: 'Sum' };

/** Every alarm of the service: no one stands here that nobody would act on. */
export function alarmRules(watched: Watched): readonly AlarmRule[] {
  return [
    ...batchRules(watched),
    ...requestRules(watched),
    ...deliveryRules(watched),
    ...quotaRules(watched),
  ];
}

function batchRules({ config }: Watched): readonly AlarmRule[] {
  const jobs = {
    completed: serviceMetric(config, 'JobsFinished', sum, 'completed'),
    failed: serviceMetric(config, 'JobsFinished', sum, 'failed'),
  };
  return [
    {
      id: 'OldestUnfinished',
      says: `A batch is unfinished after ${config.alarms.oldestUnfinishedMinutes} minutes`,
      runbook: 'oldest-unfinished',
      urgency: 'page',
      metric: serviceMetric(config, 'OldestUnfinishedBatch', { statistic: 'Maximum', ...five }),
      threshold: config.alarms.oldestUnfinishedMinutes * 60,
    },
    {
      id: 'JobsFailing',
      says: 'One job in twenty fails by our fault',
      runbook: 'jobs-failing',
      urgency: 'page',
      metric: share('IF(failed >= 3, 100 * failed / (failed + FILL(completed, 0)), 0)', jobs),
      threshold: 5,
    },
    {
      id: 'ReconcilerSilent',
      says: 'The reconciler has completed no run for five minutes: nothing is mended',
      runbook: 'reconciler-silent',
      urgency: 'page',
      metric: serviceMetric(config, 'ReconcilerRuns', { statistic: 'Sum' }),
      threshold: 1,
      below: true,
      periods: 5,
      missing: TreatMissingData.BREACHING,
    },
    {
      id: 'BatchesRestarted',
      says: 'Executions of batches are lost and begun anew, again and again',
      runbook: 'batches-restarted',
      urgency: 'tell',
      metric: serviceMetric(config, 'ReconcilerFinds', sum, 'restarted'),
      threshold: 5,
    },
    {
      id: 'SigningKeyOld',
      says: `The key that signs results is older than ${MAX_KEY_AGE_DAYS} days: it is not rotated`,
      runbook: 'signing-key-old',
      urgency: 'tell',
      metric: serviceMetric(config, 'SigningKeyAge', {
        statistic: 'Maximum',
        period: Duration.hours(1),
      }),
      threshold: Duration.days(MAX_KEY_AGE_DAYS).toSeconds(),
      periods: 3,
      // No age at all: there is no key, or nobody looks.
      missing: TreatMissingData.BREACHING,
    },
  ];
}

function requestRules(watched: Watched): readonly AlarmRule[] {
  const { api, pipeline, webhooks, reconciler, storage } = watched;
  const critical = [...pipeline.steps, webhooks.deliver, reconciler.reconcile];
  const throttled: Readonly<Record<string, IMetric>> = {
    ...Object.fromEntries(critical.map((fn, at) => [`f${at}`, fn.metricThrottles(five)])),
    reads: storage.table.metric('ReadThrottleEvents', sum),
    writes: storage.table.metric('WriteThrottleEvents', sum),
  };
  // An API without a request in these minutes has no figures.
  const errors = '(FILL(e1, 0) + FILL(e2, 0))';
  return [
    {
      id: 'ErrorRate',
      says: 'One request in a hundred, and five at least, are answered with 5xx',
      runbook: 'error-rate',
      urgency: 'page',
      metric: share(`IF(${errors} >= 5, 100 * ${errors} / (FILL(n1, 0) + FILL(n2, 0)), 0)`, {
        e1: api.v1.metricServerError(five),
        e2: api.v2.metricServerError(five),
        n1: api.v1.metricCount(sum),
        n2: api.v2.metricCount(sum),
      }),
      threshold: 1,
    },
    {
      id: 'Throttles',
      says: 'Functions of the pipeline, or the table, are throttled for ten minutes',
      runbook: 'throttles',
      urgency: 'tell',
      metric: share('SUM(METRICS())', throttled),
      threshold: 25,
      periods: 2,
    },
    ...functionsOf(watched).map(
      (fn): AlarmRule => ({
        id: `${fn.node.id}Errors`,
        says: `${fn.node.id} fails`,
        runbook: 'function-errors',
        urgency: 'tell',
        metric: errorsOf(watched, fn, five),
        threshold: 5,
      }),
    ),
  ];
}

function deliveryRules({ config, webhooks }: Watched): readonly AlarmRule[] {
  const attempts = {
    ok: serviceMetric(config, 'DeliveryAttempts', sum, 'acknowledged'),
    retried: serviceMetric(config, 'DeliveryAttempts', sum, 'retried'),
    exhausted: serviceMetric(config, 'DeliveryAttempts', sum, 'exhausted'),
  };
  const failed = '(FILL(retried, 0) + FILL(exhausted, 0))';
  return [
    {
      id: 'DeadLetters',
      says: 'A webhook was given up after its last attempt',
      runbook: 'dead-letters',
      urgency: 'tell',
      metric: webhooks.deadLetterQueue.metricApproximateNumberOfMessagesVisible(five),
      threshold: 1,
    },
    {
      id: 'LateDeliveries',
      says: 'Webhooks are late: the longest delay of their schedule is 15 minutes',
      runbook: 'late-deliveries',
      urgency: 'tell',
      metric: webhooks.queue.metricApproximateAgeOfOldestMessage(five),
      threshold: Duration.minutes(30).toSeconds(),
    },
    {
      id: 'DeliveryFailures',
      says: 'Half of all webhook attempts fail: our way out is more likely broken than all receivers',
      runbook: 'delivery-failures',
      urgency: 'tell',
      metric: share(
        `IF(FILL(ok, 0) + ${failed} >= 20, 100 * ${failed} / (FILL(ok, 0) + ${failed}), 0)`,
        attempts,
      ),
      threshold: 50,
      periods: 3,
    },
  ];
}

function quotaRules({ storage }: Watched): readonly AlarmRule[] {
  return quotas(storage.table).map(({ id, title, percent }) => ({
    id: `${id}Near`,
    says: `${title}: 80 % of what AWS allows this account`,
    runbook: 'quota-near',
    urgency: 'tell',
    metric: percent,
    threshold: 80,
    periods: 3,
  }));
}

function share(expression: string, usingMetrics: Readonly<Record<string, IMetric>>) {
  return new MathExpression({ expression, usingMetrics: { ...usingMetrics }, ...five });
}
