import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  PeriodOverride,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Api } from './api.ts';
import type { StageConfig } from './config.ts';
import type { Pipeline } from './pipeline.ts';
import type { Reconciler } from './reconciler.ts';
import type { ServiceFunction } from './service-function.ts';
import type { SigningKey } from './signing-key.ts';
import type { Webhooks } from './webhooks.ts';

export interface ObservabilityProps {
  readonly config: StageConfig;
  readonly api: Api;
  readonly pipeline: Pipeline;
  readonly webhooks: Webhooks;
  readonly reconciler: Reconciler;
  readonly signingKey: SigningKey;
}

/** One dashboard that shows how the service is doing, and the alarms that say when it is not. */
export class Observability extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    this.alarms = this.addAlarms(props);
    this.addDashboard(props);
  }

  private addAlarms({
    config,
    api,
    pipeline,
    webhooks,
    reconciler,
    signingKey,
  }: ObservabilityProps) {
    const action = new SnsAction(this.addTopic(config));
    const alarm = (
      id: string,
      props: Omit<AlarmProps, 'evaluationPeriods' | 'comparisonOperator'>,
    ) => {
      const made = new Alarm(this, id, {
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        ...props,
      });
      made.addAlarmAction(action);
      return made;
    };
    const period = Duration.minutes(5);
    return [
      alarm('DeadDeliveries', {
        alarmDescription: 'A webhook was given up: see the dead-letter queue and the delivery log',
        metric: webhooks.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period }),
        threshold: 1,
      }),
      alarm('OldestDelivery', {
        alarmDescription: 'Deliveries are late: the longest delay of the schedule is 15 minutes',
        metric: webhooks.queue.metricApproximateAgeOfOldestMessage({ period }),
        threshold: Duration.minutes(30).toSeconds(),
      }),
      alarm('BatchesFailing', {
        alarmDescription: 'Executions end without finishing their batch',
        metric: pipeline.batches.metricFailed({ period }),
        threshold: 1,
      }),
      ...[api.v1, api.v2].map((gateway) =>
        alarm(`${gateway.node.id}Errors`, {
          alarmDescription: `${gateway.node.id} answers with 5xx`,
          metric: gateway.metricServerError({ period }),
          threshold: 5,
        }),
      ),
      ...functionsOf({ api, pipeline, webhooks, reconciler, signingKey }).map((fn) =>
        alarm(`${fn.node.id}Errors`, {
          alarmDescription: `${fn.node.id} fails: see its log group`,
          metric: fn.metricErrors({ period }),
          threshold: 5,
        }),
      ),
    ];
  }

  /** Encrypted with a key that CloudWatch may use: AWS's own key for SNS refuses it. */
  private addTopic({ alarmEmail }: StageConfig): Topic {
    const masterKey = new Key(this, 'AlarmKey', {
      description: 'Soil batch: alarms on their way',
      enableKeyRotation: true,
    });
    masterKey.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        // In a key's policy "*" is the key itself.
        resources: ['*'],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    const topic = new Topic(this, 'Alarms', { masterKey, enforceSSL: true });
    if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail));
    return topic;
  }

  private addDashboard(props: ObservabilityProps): void {
    const { api, pipeline, webhooks } = props;
    const { batches } = pipeline;
    const apis = [api.v1, api.v2];
    const functions = functionsOf(props);
    const dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: `${Stack.of(this).stackName}-service`,
      defaultInterval: Duration.hours(3),
      periodOverride: PeriodOverride.AUTO,
    });
    dashboard.addWidgets(
      graph('Batches', [
        batches.metricStarted({ label: 'started' }),
        batches.metricSucceeded({ label: 'ended' }),
        batches.metricFailed({ label: 'broken' }),
        batches.metricTimedOut({ label: 'timed out' }),
      ]),
      graph('Time of a batch', [
        batches.metricTime({ statistic: 'p50', label: 'p50' }),
        batches.metricTime({ statistic: 'p95', label: 'p95' }),
      ]),
    );
    dashboard.addWidgets(
      graph(
        'Steps called',
        pipeline.steps.map((step) => step.metricInvocations({ label: step.node.id })),
      ),
      graph(
        'Steps, p95 duration',
        pipeline.steps.map((step) =>
          step.metricDuration({ statistic: 'p95', label: step.node.id }),
        ),
      ),
    );
    dashboard.addWidgets(
      graph('Webhooks waiting', [
        webhooks.queue.metricApproximateNumberOfMessagesVisible({ label: 'due' }),
        webhooks.queue.metricApproximateNumberOfMessagesDelayed({ label: 'timed' }),
        webhooks.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ label: 'given up' }),
      ]),
      graph('Oldest webhook', [
        webhooks.queue.metricApproximateAgeOfOldestMessage({ label: 'age' }),
      ]),
    );
    dashboard.addWidgets(
      graph(
        'Requests',
        apis.flatMap((gateway) => [
          gateway.metricCount({ label: `${gateway.node.id} all` }),
          gateway.metricClientError({ label: `${gateway.node.id} 4xx` }),
          gateway.metricServerError({ label: `${gateway.node.id} 5xx` }),
        ]),
      ),
      graph(
        'Latency',
        apis.flatMap((gateway) => [
          gateway.metricLatency({ statistic: 'p50', label: `${gateway.node.id} p50` }),
          gateway.metricLatency({ statistic: 'p99', label: `${gateway.node.id} p99` }),
        ]),
      ),
    );
    dashboard.addWidgets(
      graph(
        'Errors',
        functions.map((fn) => fn.metricErrors({ label: fn.node.id })),
      ),
      graph(
        'Throttles',
        functions.map((fn) => fn.metricThrottles({ label: fn.node.id })),
      ),
    );
  }
}

function functionsOf({
  api,
  pipeline,
  webhooks,
  reconciler,
  signingKey,
}: Omit<ObservabilityProps, 'config'>): readonly ServiceFunction[] {
  return [
    ...api.functions,
    ...pipeline.steps,
    webhooks.deliver,
    reconciler.reconcile,
    ...signingKey.functions,
  ];
}

function graph(title: string, left: readonly IMetric[]): GraphWidget {
  return new GraphWidget({ title, left: [...left], width: 12, height: 6 });
}
