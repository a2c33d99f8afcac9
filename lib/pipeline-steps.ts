import { Duration } from 'aws-cdk-lib';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { items } from './access.ts';
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
 * The functions that the state machine of a batch invokes.
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
      description: 'Plans a job: polygon to grid window to patch-batches',
      access: planJob(foundation),
      memoryMb: config.memoryMb.plan,
      timeout: Duration.minutes(2),
      packs: 'whole',
    }),
    predictPatchBatch: step('PredictPatchBatch', {
      handler: 'pipeline/predict-patch-batch',
      description: 'Predicts the patch-batches of one share',
      access: predictPatchBatch(foundation),
      memoryMb: config.memoryMb.predict,
      // Patch-batches are sized for 300 s, at most 450 s; Lambda allows 900 s.
      timeout: Duration.minutes(10),
      // ONNX Runtime has been reported to crash at import on Lambda's ARM64.
      architecture: Architecture.X86_64,
      packs: 'whole',
      onnxRuntime: packsNeedOnnxRuntime(config),
    }),
    failPatchBatch: step('FailPatchBatch', {
      handler: 'pipeline/fail-patch-batch',
      description: 'Records why a patch-batch failed permanently',
      access: failPatchBatch(foundation),
    }),
    assembleRaster: step('AssembleRaster', {
      handler: 'pipeline/assemble-raster',
      description: 'Assembles blocks into a Cloud Optimized GeoTIFF and completes the job',
      access: assembleRaster(foundation),
      memoryMb: config.memoryMb.assemble,
      timeout: Duration.minutes(10),
      packs: 'whole',
    }),
    finishJob: step('FinishJob', {
      handler: 'pipeline/finish-job',
      description: 'Fails a job after a step has failed permanently',
      access: finishJob(foundation),
    }),
    finishBatch: step('FinishBatch', {
      handler: 'pipeline/finish-batch',
      description: 'Finishes a batch, queues its webhook and starts queued batches',
      access: [
        ...finishBatch(foundation, webhooks, batchesArn),
        items(foundation.storage, 'times', 'get', 'put'),
      ],
      timeout: Duration.minutes(2),
    }),
  };
}
