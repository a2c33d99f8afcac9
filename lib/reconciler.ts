import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { grantReconcile } from './permissions/background.ts';
import type { Pipeline } from './pipeline.ts';
import { ServiceFunction } from './service-function.ts';
import type { Foundation } from './stateful-stack.ts';
import type { Webhooks } from './webhooks.ts';

export interface ReconcilerProps {
  readonly foundation: Foundation;
  readonly pipeline: Pipeline;
  readonly webhooks: Webhooks;
}

/**
 * Starts batches that never started; restarts batches whose execution was lost; finishes batches that are cancelled,
 * done or too old; requeues deliveries whose message was lost; gives free slots to queued batches; and publishes missed
 * events. It runs every minute, and whenever an execution fails, times out or is aborted.
 */
export class Reconciler extends Construct {
  readonly reconcile: ServiceFunction;

  constructor(scope: Construct, id: string, { foundation, pipeline, webhooks }: ReconcilerProps) {
    super(scope, id);
    this.reconcile = new ServiceFunction(this, 'Reconcile', {
      config: foundation.config,
      handler: 'reconcile/reconcile',
      description: 'Repairs stuck batches and reschedules lost deliveries',
      access: grantReconcile(foundation, pipeline.batches, webhooks),
      timeout: Duration.seconds(55),
    });
    // There are no retries, because the next run follows within a minute. Lambda would keep throttled events for up to
    // six hours, and run all of them late.
    // https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
    this.reconcile.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    const target = new LambdaFunction(this.reconcile, { retryAttempts: 0 });

    new Rule(this, 'EveryMinute', {
      description: 'Starts the reconciler every minute',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [target],
    });
    new Rule(this, 'ExecutionEndedBadly', {
      description: 'Starts the reconciler when an execution fails, times out or is aborted',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          stateMachineArn: [pipeline.batches.stateMachineArn],
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
        },
      },
      targets: [target],
    });
  }
}
