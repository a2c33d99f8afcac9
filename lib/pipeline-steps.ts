import { Duration } from 'aws-cdk-lib';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { BatchSteps } from './batch-definition.ts';
import type { Foundation } from './foundation.ts';
import { packsNeedOnnxRuntime } from './onnx-runtime.ts';
import {
  assembleRaster,
  failPatchBatch,
  finishBatch,
  finishJob,
  planJob,
  predictPatchBatch,
} from './permissions/steps.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';
import type { Webhooks } from './webhooks.ts';

/**
 * The functions that the state machine of a batch calls.
 * @param batchesArn of that state machine: the last step of a batch starts the next
 */
export function pipelineSteps(
  scope: Construct,
  foundation: Foundation,
  webhooks: Webhooks,
  batchesArn: string,
): BatchSteps {
  const { config } = foundation;
  const step = (id: string, props: Omit<ServiceFunctionProps, 'config'>) =>
    new ServiceFunction(scope, id, { config, ...props });

  return {
    planJob: step('PlanJob', {
      handler: 'pipeline/plan-job',
      description: 'Geometry to grid window to patch-batches',
      access: planJob(foundation),
      memoryMb: config.memoryMb.plan,
      timeout: Duration.minutes(2),
      packs: 'whole',
    }),
    predictPatchBatch: step('PredictPatchBatch', {
      handler: 'pipeline/predict-patch-batch',
      description: 'Predicts a block of a raster, or several small ones',
      access: predictPatchBatch(foundation),
      memoryMb: config.memoryMb.predict,
      // Patch-batches are cut to 300 s, at most 450; Lambda ends at 900 s.
      timeout: Duration.minutes(10),
      // ONNX Runtime has been reported to abort at import on Lambda's ARM64.
      architecture: Architecture.X86_64,
      packs: 'whole',
      onnxRuntime: packsNeedOnnxRuntime(config),
    }),
    failPatchBatch: step('FailPatchBatch', {
      handler: 'pipeline/fail-patch-batch',
      description: 'Records why a patch-batch failed for good',
      access: failPatchBatch(foundation),
    }),
    assembleRaster: step('AssembleRaster', {
      handler: 'pipeline/assemble-raster',
      description: 'Patch-batch blocks to one Cloud Optimized GeoTIFF, which completes the job',
      access: assembleRaster(foundation),
      memoryMb: config.memoryMb.assemble,
      timeout: Duration.minutes(10),
      packs: 'whole',
    }),
    finishJob: step('FinishJob', {
      handler: 'pipeline/finish-job',
      description: 'Ends a job of which a step was given up, once',
      access: finishJob(foundation),
    }),
    finishBatch: step('FinishBatch', {
      handler: 'pipeline/finish-batch',
      description: 'Completes or fails a batch, once, queues its webhook, starts the next',
      access: finishBatch(foundation, webhooks, batchesArn),
      timeout: Duration.minutes(2),
    }),
  };
}
