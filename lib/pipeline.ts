import { createHash } from 'node:crypto';
import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Architecture, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  DefinitionBody,
  LogLevel,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { RUN_DAYS } from '../lambdas/domain/limits.ts';
import { type BatchSteps, defineBatch } from './batch-definition.ts';
import { packsNeedOnnxRuntime } from './build/onnx-runtime.ts';
import { countReservedPredictions } from './config/capacity.ts';
import {
  grantAssembleRaster,
  grantCopyResults,
  grantFailPatchBatch,
  grantFinishBatch,
  grantFinishJob,
  grantPlanJob,
  grantPredictPatchBatch,
} from './permissions/steps.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';
import type { Foundation } from './stateful-stack.ts';
import type { Webhooks } from './webhooks.ts';

export interface PipelineProps {
  readonly foundation: Foundation;
  readonly webhooks: Webhooks;
}

export class Pipeline extends Construct {
  readonly batches: StateMachine;
  readonly steps: readonly ServiceFunction[];
  /** Also checks clients' buckets when a batch is created. */
  readonly copyResults: ServiceFunction;

  constructor(scope: Construct, id: string, { foundation, webhooks }: PipelineProps) {
    super(scope, id);
    const { config } = foundation;
    // The name is explicit, because the last step starts the next batch, so a reference would be a cycle.
    const stateMachineName = `${Stack.of(this).stackName}-Batches`;
    const arn = { service: 'states', resource: 'stateMachine', resourceName: stateMachineName };
    const batchesArn = Stack.of(this).formatArn({
      ...arn,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const functions = createSteps(this, foundation, webhooks, batchesArn);
    this.steps = Object.values(functions);
    this.copyResults = functions.copyResults;
    changeTogether(this.steps);
    deleteFailingStepsFirst(functions);

    this.batches = new StateMachine(this, 'Batches', {
      stateMachineName,
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromChainable(
        defineBatch(new Construct(this, 'Definition'), {
          functions,
          concurrency: config.concurrency,
        }),
      ),
      // Longer than any batch should take; the reconciler finishes a batch that timed out.
      timeout: Duration.days(RUN_DAYS),
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'BatchesLogs', {
          // This prefix keeps the log group out of the account's limit for resource policies (5,120 characters).
          logGroupName: `/aws/vendedlogs/states/${Stack.of(this).stackName}`,
          retention: config.logRetentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ERROR,
        // Inputs contain only IDs, indexes and flags, but the cause of an error may quote any data.
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

/** @param batchesArn the ARN of the state machine; the last step of a batch starts the next batch */
function createSteps(
  scope: Construct,
  foundation: Foundation,
  webhooks: Webhooks,
  batchesArn: string,
): BatchSteps {
  const { config } = foundation;
  const reservedConcurrency = countReservedPredictions(config);
  const createStep = (id: string, props: Omit<ServiceFunctionProps, 'config'>) =>
    new ServiceFunction(scope, id, { config, ...props });

  return {
    planJob: createStep('PlanJob', {
      handler: 'pipeline/plan-job',
      description: 'Plans a job: its grid window and patch-batches',
      access: grantPlanJob(foundation),
      memoryMb: config.memoryMb.plan,
      timeout: Duration.minutes(2),
      packs: 'whole',
    }),
    predictPatchBatch: createStep('PredictPatchBatch', {
      handler: 'pipeline/predict-patch-batch',
      description: 'Predicts the patch-batches of one share',
      access: grantPredictPatchBatch(foundation),
      memoryMb: config.memoryMb.predict,
      // Patch-batches take at most about 300 s, or 450 s in the largest jobs; Lambda allows 900 s.
      timeout: Duration.minutes(10),
      // ONNX Runtime has been reported to crash at import on Lambda's ARM64.
      architecture: Architecture.X86_64,
      packs: 'whole',
      onnxRuntime: packsNeedOnnxRuntime(config),
      ...(reservedConcurrency === 0 ? {} : { reservedConcurrency }),
    }),
    failPatchBatch: createStep('FailPatchBatch', {
      handler: 'pipeline/fail-patch-batch',
      description: 'Records why the patch-batches of a share failed',
      access: grantFailPatchBatch(foundation),
    }),
    assembleRaster: createStep('AssembleRaster', {
      handler: 'pipeline/assemble-raster',
      description: 'Assembles blocks into a Cloud Optimized GeoTIFF and completes the job',
      access: grantAssembleRaster(foundation),
      memoryMb: config.memoryMb.assemble,
      timeout: Duration.minutes(10),
      packs: 'whole',
    }),
    finishJob: createStep('FinishJob', {
      handler: 'pipeline/finish-job',
      description: 'Fails a job after a step has failed, unless the raster is complete',
      access: grantFinishJob(foundation),
    }),
    copyResults: createStep('CopyResults', {
      handler: 'pipeline/copy-results',
      description: "Copies results to clients' buckets, and checks these buckets",
      access: grantCopyResults(foundation),
      packs: 'manifests',
      // Long enough to copy other results for two minutes, then to retry a large raster for two minutes and copy it.
      timeout: Duration.minutes(12),
    }),
    finishBatch: createStep('FinishBatch', {
      handler: 'pipeline/finish-batch',
      description: 'Finishes a batch, queues its webhook and starts queued batches',
      access: grantFinishBatch(foundation, webhooks, batchesArn),
      timeout: Duration.minutes(2),
    }),
  };
}

/**
 * Ensures that a change to one step creates a new version of every step. CloudFormation deletes the versions of a
 * deployment that it rolls back. A batch that started with them then lacks every step, including those that would fail
 * its jobs, and the reconciler restarts it.
 */
function changeTogether(steps: readonly ServiceFunction[]): void {
  const functions = steps
    .map(({ node }) => node.defaultChild)
    .filter((child) => child instanceof CfnFunction);
  const contents = functions.map(({ stack, code, environment, memorySize, runtime, timeout }) =>
    stack.resolve([code, environment, memorySize, runtime, timeout]),
  );
  const mark = createHash('sha256').update(JSON.stringify(contents)).digest('hex').slice(0, 12);
  for (const fn of functions) fn.description = `${fn.description} (steps ${mark})`;
}

/**
 * CloudFormation deletes the versions of a rolled-back deployment one after another, dependents first. A later step
 * fails a job or a batch if an earlier step is missing, so the later steps are deleted first.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-dependson.html
 */
function deleteFailingStepsFirst(steps: BatchSteps): void {
  const { planJob, predictPatchBatch, assembleRaster } = steps;
  const recording = [steps.failPatchBatch, steps.finishJob, steps.finishBatch];
  assembleRaster.currentVersion.node.addDependency(predictPatchBatch.currentVersion);
  for (const { currentVersion } of recording) {
    currentVersion.node.addDependency(planJob.currentVersion, assembleRaster.currentVersion);
  }
}
