import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  DefinitionBody,
  LogLevel,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { batchDefinition } from './batch-definition.ts';
import type { Foundation } from './foundation.ts';
import { pipelineSteps } from './pipeline-steps.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Webhooks } from './webhooks.ts';

export interface PipelineProps {
  readonly foundation: Foundation;
  /** Queue the webhooks of finished batches. */
  readonly webhooks: Webhooks;
}

/** The state machine that runs batches, one execution per batch, and its steps. */
export class Pipeline extends Construct {
  readonly batches: StateMachine;
  readonly steps: readonly ServiceFunction[];

  constructor(scope: Construct, id: string, { foundation, webhooks }: PipelineProps) {
    super(scope, id);
    const { config } = foundation;
    // An explicit name: the last step starts the next batch, so a reference would be a cycle.
    const stateMachineName = `${Stack.of(this).stackName}-Batches`;
    const arn = { service: 'states', resource: 'stateMachine', resourceName: stateMachineName };
    const batchesArn = Stack.of(this).formatArn({
      ...arn,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const functions = pipelineSteps(this, foundation, webhooks, batchesArn);
    this.steps = Object.values(functions);

    this.batches = new StateMachine(this, 'Batches', {
      stateMachineName,
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromChainable(
        batchDefinition(new Construct(this, 'Definition'), {
          functions,
          concurrency: config.concurrency,
        }),
      ),
      // Longer than any batch should take; the reconciler finishes a batch that timed out.
      timeout: Duration.days(2),
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'BatchesLogs', {
          // This prefix keeps the log group out of the account's policy size limit (5,120 characters).
          logGroupName: `/aws/vendedlogs/states/${Stack.of(this).stackName}`,
          retention: config.logRetentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ERROR,
        // Inputs are ids, but the cause of an error may quote any data.
        includeExecutionData: false,
      },
    });

    // Running batches keep invoking the versions that they started with, across deployments.
    new Policy(this, 'EarlierVersions', {
      roles: [this.batches.role],
      statements: [
        new PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: this.steps.map(({ functionArn }) => `${functionArn}:*`),
        }),
      ],
    });
  }
}
