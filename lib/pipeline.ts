import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  DefinitionBody,
  LogLevel,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { batchDefinition } from './batch-definition.ts';
import {
  assembleRaster,
  type Foundation,
  failPatchBatch,
  finishBatch,
  finishJob,
  planJob,
  predictPatchBatch,
} from './permissions.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';
import type { Webhooks } from './webhooks.ts';

export interface PipelineProps {
  readonly foundation: Foundation;
  /** Where a finished batch's webhook is queued. */
  readonly webhooks: Webhooks;
}

/** The state machine that works a batch off, one execution a batch, and its steps. */
export class Pipeline extends Construct {
  readonly batches: StateMachine;
  readonly steps: readonly ServiceFunction[];

  constructor(scope: Construct, id: string, { foundation, webhooks }: PipelineProps) {
    super(scope, id);
    const { config } = foundation;
    const step = (id: string, props: Omit<ServiceFunctionProps, 'config'>) =>
      new ServiceFunction(this, id, { config, ...props });

    const functions = {
      planJob: step('PlanJob', {
        handler: 'pipeline/plan-job',
        description: 'Geometry to grid window to patch-batches',
        access: planJob(foundation),
        memoryMb: config.memoryMb.plan,
        timeout: Duration.minutes(2),
        withModels: true,
      }),
      predictPatchBatch: step('PredictPatchBatch', {
        handler: 'pipeline/predict-patch-batch',
        description: 'Predicts one block of a raster',
        access: predictPatchBatch(foundation),
        memoryMb: config.memoryMb.predict,
        // Patch-batches are cut to 300 s at most; Lambda ends at 900 s.
        timeout: Duration.minutes(10),
        // ONNX Runtime has been reported to abort at import on Lambda's ARM64.
        architecture: Architecture.X86_64,
        withModels: true,
      }),
      failPatchBatch: step('FailPatchBatch', {
        handler: 'pipeline/fail-patch-batch',
        description: 'Records why a patch-batch failed for good',
        access: failPatchBatch(foundation),
      }),
      assembleRaster: step('AssembleRaster', {
        handler: 'pipeline/assemble-raster',
        description: 'Patch-batch blocks to one Cloud Optimized GeoTIFF',
        access: assembleRaster(foundation),
        memoryMb: config.memoryMb.assemble,
        timeout: Duration.minutes(10),
        withModels: true,
      }),
      finishJob: step('FinishJob', {
        handler: 'pipeline/finish-job',
        description: 'Completes or fails a job, once',
        access: finishJob(foundation),
      }),
      finishBatch: step('FinishBatch', {
        handler: 'pipeline/finish-batch',
        description: 'Completes or fails a batch, once, and queues its webhook',
        access: finishBatch(foundation, webhooks),
        timeout: Duration.minutes(2),
      }),
    };
    this.steps = Object.values(functions);

    this.batches = new StateMachine(this, 'Batches', {
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromChainable(
        batchDefinition(new Construct(this, 'Definition'), {
          functions,
          concurrency: config.concurrency,
        }),
      ),
      // Longer than any batch should take; the reconciler finishes what was cut off.
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
        // Inputs are ids, but an error's cause may quote anything.
        includeExecutionData: false,
      },
    });

    // A deploy must not harm running batches: they go on calling the versions they began with.
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
