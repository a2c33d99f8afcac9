import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  DistributedMap,
  type IChainable,
  Map as InlineMap,
  JsonPath,
  Pass,
  type RetryProps,
  StateMachineType,
  TaskInput,
  Timeout,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import type { StageConfig } from './config/stage-config.ts';
import { LONG, PATIENT, PATIENT_IN_MAP, RECORD_IN_MAP } from './retries.ts';
import type { ServiceFunction } from './service-function.ts';

export interface BatchSteps {
  readonly planJob: ServiceFunction;
  readonly predictPatchBatch: ServiceFunction;
  readonly failPatchBatch: ServiceFunction;
  readonly assembleRaster: ServiceFunction;
  readonly finishJob: ServiceFunction;
  readonly finishBatch: ServiceFunction;
}

export interface BatchDefinitionProps {
  readonly functions: BatchSteps;
  readonly concurrency: StageConfig['concurrency'];
}

/**
 * The state machine of a batch. Input: `{"batch_id", "last_job_index"}`. Only ids, indexes and the tenant's
 * name travel through it: a payload ends at 256 KiB, a history at 25,000 events, which is also why jobs are
 * children of a distributed map.
 */
export function batchDefinition(
  scope: Construct,
  { functions, concurrency }: BatchDefinitionProps,
): IChainable {
  // `States.ArrayRange` makes 1,000 numbers at most: the limit of jobs a batch.
  const listJobs = new Pass(scope, 'ListJobs', {
    parameters: {
      batch_id: JsonPath.stringAt('$.batch_id'),
      jobs: JsonPath.arrayRange(0, JsonPath.numberAt('$.last_job_index'), 1),
    },
  });

  const finishBatch = task(scope, 'FinishBatch', {
    fn: functions.finishBatch,
    input: ['batch_id'],
    retries: LONG,
  });

  const forEachJob = new DistributedMap(scope, 'ForEachJob', {
    itemsPath: '$.jobs',
    itemSelector: {
      batch_id: JsonPath.stringAt('$.batch_id'),
      job_index: JsonPath.numberAt('$$.Map.Item.Value'),
    },
    maxConcurrency: concurrency.jobs,
    // A job may take longer than the five minutes of an EXPRESS child.
    mapExecutionType: StateMachineType.STANDARD,
    // One job never fails its batch.
    toleratedFailurePercentage: 100,
    resultPath: JsonPath.DISCARD,
  });
  forEachJob.itemProcessor(jobDefinition(scope, functions, concurrency));
  // Whatever became of the map, the batch is finished: FinishBatch fails what was left undone.
  forEachJob.addCatch(finishBatch, { resultPath: JsonPath.DISCARD });

  return listJobs.next(forEachJob).next(finishBatch);
}

/**
 * One job, a child execution. Input: `{"batch_id", "job_index"}`; output: nothing. Every state that is
 * entered is billed: three and one for each share of patch-batches, and one for the child itself.
 */
function jobDefinition(
  scope: Construct,
  functions: BatchSteps,
  concurrency: StageConfig['concurrency'],
): IChainable {
  const jobIds = ['batch_id', 'job_index'];

  const finishFailedJob = task(scope, 'FinishFailedJob', {
    fn: functions.finishJob,
    input: [...jobIds, 'error'],
  });
  finishFailedJob.addCatch(new Pass(scope, 'LeftToFinishBatch', { outputPath: JsonPath.DISCARD }), {
    resultPath: JsonPath.DISCARD,
  });

  const planJob = task(scope, 'PlanJob', {
    fn: functions.planJob,
    input: jobIds,
    keep: { as: 'plan', members: ['shares', 'tenant'] },
  });
  planJob.addCatch(finishFailedJob, { resultPath: '$.error' });

  const forEachShare = new InlineMap(scope, 'ForEachShare', {
    // None when the plan found the job impossible, or when this is a repeated run of a final one.
    itemsPath: '$.plan.shares',
    itemSelector: {
      batch_id: JsonPath.stringAt('$.batch_id'),
      job_index: JsonPath.numberAt('$.job_index'),
      patch_batches: JsonPath.objectAt('$$.Map.Item.Value'),
      tenant: JsonPath.stringAt('$.plan.tenant'),
    },
    maxConcurrency: concurrency.patchBatches,
    resultPath: JsonPath.DISCARD,
  });
  forEachShare.itemProcessor(shareDefinition(scope, functions));
  forEachShare.addCatch(finishFailedJob, { resultPath: '$.error' });

  const assembleRaster = task(scope, 'AssembleRaster', {
    fn: functions.assembleRaster,
    input: jobIds,
    from: { tenant: '$.plan.tenant' },
  });
  assembleRaster.addCatch(finishFailedJob, { resultPath: '$.error' });

  return planJob.next(forEachShare).next(assembleRaster);
}

/** Some patch-batches. Input: `{"batch_id", "job_index", "patch_batches", "tenant"}`; output: nothing. */
function shareDefinition(scope: Construct, functions: BatchSteps): IChainable {
  const ids = ['batch_id', 'job_index', 'patch_batches', 'tenant'];
  const predict = task(scope, 'PredictShare', {
    fn: functions.predictPatchBatch,
    input: ids,
    retries: PATIENT_IN_MAP,
  });
  const fail = task(scope, 'FailShare', {
    fn: functions.failPatchBatch,
    input: [...ids, 'error'],
    retries: RECORD_IN_MAP,
  });
  predict.addCatch(fail, { resultPath: '$.error' });
  fail.addCatch(new Pass(scope, 'LeftToAssembleRaster', { outputPath: JsonPath.DISCARD }), {
    resultPath: JsonPath.DISCARD,
  });
  return predict;
}

interface TaskProps {
  readonly fn: ServiceFunction;
  /** Members of the state's input that the function receives. */
  readonly input: readonly string[];
  /** Others that it receives, with the paths at which they are. */
  readonly from?: Readonly<Record<string, string>>;
  /**
   * Members of the function's answer that the state passes on, beside its input.
   * @default nothing: the invocation's envelope alone is 1 kB, and maps collect what they are given
   */
  readonly keep?: { readonly as: string; readonly members: readonly string[] };
  /**
   * @default for hours what is throttled, six times what is transient, once what is doubtful
   */
  readonly retries?: readonly RetryProps[];
}

function task(
  scope: Construct,
  id: string,
  { fn, input, from = {}, keep, retries }: TaskProps,
): LambdaInvoke {
  const paths = [
    ...input.map((member) => [member, `$.${member}`] as const),
    ...Object.entries(from),
  ];
  const invoke = new LambdaInvoke(scope, id, {
    // CDK's own types of optional members differ under exactOptionalPropertyTypes.
    lambdaFunction: fn.currentVersion as IFunction,
    payload: TaskInput.fromObject(
      Object.fromEntries(paths.map(([member, path]) => [member, JsonPath.objectAt(path)])),
    ),
    // The function's own time-out comes first; this one catches what never answers.
    taskTimeout: Timeout.duration(Duration.seconds((fn.timeout?.toSeconds() ?? 0) + 10)),
    retryOnServiceExceptions: false,
    ...passingOn(keep),
  });
  for (const retry of retries ?? PATIENT) invoke.addRetry(retry);
  return invoke;
}

function passingOn(keep: TaskProps['keep']) {
  if (keep === undefined) return { resultPath: JsonPath.DISCARD, outputPath: JsonPath.DISCARD };
  const selected = keep.members.map((member) => [member, JsonPath.objectAt(`$.Payload.${member}`)]);
  return { resultPath: `$.${keep.as}`, resultSelector: Object.fromEntries(selected) };
}
