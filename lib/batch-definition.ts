import { Duration } from 'aws-cdk-lib';
import type { IFunction, Version } from 'aws-cdk-lib/aws-lambda';
import {
  Choice,
  Condition,
  DistributedMap,
  type IChainable,
  Map as InlineMap,
  JsonPath,
  Parallel,
  Pass,
  type RetryProps,
  StateMachineType,
  TaskInput,
  Timeout,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import type { StageConfig } from './config/stage-config.ts';
import { FINISH_RETRIES, PREDICTION_RETRIES, RECORD_RETRIES, STEP_RETRIES } from './retries.ts';
import type { ServiceFunction } from './service-function.ts';

export interface StepFunction {
  readonly currentVersion: Version | IFunction;
  /**
   * @default 0 s
   */
  readonly timeout?: Duration;
}

export interface BatchSteps<Fn = ServiceFunction> {
  readonly planJob: Fn;
  readonly predictPatchBatch: Fn;
  readonly failPatchBatch: Fn;
  readonly assembleRaster: Fn;
  readonly copyResults: Fn;
  readonly finishJob: Fn;
  readonly finishBatch: Fn;
}

export interface BatchDefinitionProps {
  readonly functions: BatchSteps<StepFunction>;
  readonly concurrency: StageConfig['concurrency'];
}

/**
 * Defines the state machine of a batch. Its input is `{"batch_id", "last_job_index"}`, with `copies` if the batch has a
 * destination, or `{"batch_id", "only_copies"}`. States pass on only small values, such as IDs, indexes and errors,
 * because a payload is limited to 256 KiB and a history to 25,000 events. The limit on events is also why several jobs
 * are child executions of a distributed map.
 */
export function defineBatch(
  scope: Construct,
  { functions, concurrency }: BatchDefinitionProps,
): Choice {
  const plain = { concurrency, prefix: '', copies: false };
  const finishBatch = defineFinish(scope, functions, plain);
  const copied = { concurrency, prefix: 'Copied', copies: true };
  const finishCopied = defineFinish(scope, functions, copied);
  const copyMissing = defineCopyMissing(scope, functions);
  finishCopied.next(copyMissing);
  return (
    new Choice(scope, 'ChooseBody')
      .when(Condition.isPresent('$.only_copies'), copyMissing)
      // A batch with a destination has a separate body, because a copying state in every job would cost other batches
      // up to a fifth more transitions.
      .when(
        Condition.isPresent('$.copies'),
        defineJobs(scope, functions, { ...copied, finishBatch: finishCopied }),
      )
      .when(
        Condition.numberEquals('$.last_job_index', 0),
        defineOnlyJob(scope, functions, concurrency)
          .addCatch(finishBatch, { resultPath: JsonPath.DISCARD })
          .next(finishBatch),
      )
      .otherwise(defineJobs(scope, functions, { ...plain, finishBatch }))
  );
}

function defineFinish(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  { prefix, copies }: BodyProps,
): LambdaInvoke {
  return defineTask(scope, `${prefix}FinishBatch`, {
    fn: functions.finishBatch,
    input: ['batch_id'],
    retries: FINISH_RETRIES,
    ...(copies ? { keep: 'input' } : {}),
  });
}

/**
 * Defines the loop that copies the tables, and what the jobs have not copied. It needs no map and no slot, because it
 * uses one function at a time. There is no Catch: the reconciler records that a failed execution has ended, even one
 * whose retries exceeded the history's limit.
 */
function defineCopyMissing(
  scope: Construct,
  { copyResults }: BatchSteps<StepFunction>,
): LambdaInvoke {
  const copyMissing = defineTask(scope, 'CopyMissing', {
    fn: copyResults,
    input: ['batch_id'],
    constants: { step: 'copy-missing' },
    keep: { as: 'copying', fields: ['more'] },
  });
  copyMissing.next(
    new Choice(scope, 'IsMoreMissing')
      .when(Condition.booleanEquals('$.copying.more', true), copyMissing)
      .otherwise(new Pass(scope, 'Copied', { outputPath: JsonPath.DISCARD })),
  );
  return copyMissing;
}

/** Defines a copy that never fails its job, because the batch copies missing results at its end. */
function defineCopyResult(scope: Construct, { copyResults }: BatchSteps<StepFunction>): IChainable {
  const copyResult = defineTask(scope, 'CopyResult', {
    fn: copyResults,
    input: ['batch_id', 'job_index'],
    constants: { step: 'copy-result' },
  });
  return copyResult.addCatch(
    new Pass(scope, 'LeftToCopyMissing', { outputPath: JsonPath.DISCARD }),
    { resultPath: JsonPath.DISCARD },
  );
}

function defineJobs(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  { finishBatch, ...props }: BodyProps & { readonly finishBatch: LambdaInvoke },
): IChainable {
  const { concurrency, prefix } = props;
  // `States.ArrayRange` returns at most 1,000 numbers, which is also the limit of jobs per batch.
  const listJobs = new Pass(scope, `${prefix}ListJobs`, {
    parameters: {
      batch_id: JsonPath.stringAt('$.batch_id'),
      jobs: JsonPath.arrayRange(0, JsonPath.numberAt('$.last_job_index'), 1),
    },
  });

  const forEachJob = new DistributedMap(scope, `${prefix}ForEachJob`, {
    itemsPath: '$.jobs',
    itemSelector: {
      batch_id: JsonPath.stringAt('$.batch_id'),
      job_index: JsonPath.numberAt('$$.Map.Item.Value'),
    },
    maxConcurrency: concurrency.jobs,
    // A job may take longer than the five minutes of an EXPRESS execution.
    mapExecutionType: StateMachineType.STANDARD,
    // A failing job never fails its batch.
    toleratedFailurePercentage: 100,
    resultPath: JsonPath.DISCARD,
  });
  forEachJob.itemProcessor(defineJob(scope, functions, props));
  // FinishBatch always runs, because it fails the jobs that the map left unfinished.
  forEachJob.addCatch(finishBatch, { resultPath: JsonPath.DISCARD });

  return listJobs.next(forEachJob).next(finishBatch);
}

/**
 * Defines the only job of a batch, which runs in the batch's own execution, because a distributed map takes seconds to
 * start and end.
 */
function defineOnlyJob(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  concurrency: StageConfig['concurrency'],
): Parallel {
  const job = new Parallel(scope, 'OnlyJob', {
    parameters: { batch_id: JsonPath.stringAt('$.batch_id'), job_index: 0 },
    resultPath: JsonPath.DISCARD,
  });
  return job.branch(defineJob(scope, functions, { concurrency, prefix: 'Only', copies: false }));
}

interface BodyProps {
  readonly concurrency: StageConfig['concurrency'];
  /** Precedes the names of this body's states, because names must be unique in the whole definition. */
  readonly prefix: string;
  readonly copies: boolean;
}

/**
 * Defines one job, which is a child execution or a branch, with the input `{"batch_id", "job_index"}` and an empty
 * output.
 */
function defineJob(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  { concurrency, prefix, copies }: BodyProps,
): IChainable {
  const jobIds = ['batch_id', 'job_index'];

  const finishFailedJob = defineTask(scope, `${prefix}FinishFailedJob`, {
    fn: functions.finishJob,
    input: [...jobIds, 'error'],
  });
  finishFailedJob.addCatch(
    new Pass(scope, `${prefix}LeftToFinishBatch`, { outputPath: JsonPath.DISCARD }),
    {
      resultPath: JsonPath.DISCARD,
    },
  );

  const planJob = defineTask(scope, `${prefix}PlanJob`, {
    fn: functions.planJob,
    input: jobIds,
    keep: { as: 'plan', fields: ['shares', 'tenant'] },
  });
  planJob.addCatch(finishFailedJob, { resultPath: '$.error' });

  const forEachShare = new InlineMap(scope, `${prefix}ForEachShare`, {
    // The array is empty if planning failed the job, or if the job is already final.
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
  forEachShare.itemProcessor(defineShare(scope, functions, prefix));
  forEachShare.addCatch(finishFailedJob, { resultPath: '$.error' });

  const assembleRaster = defineTask(scope, `${prefix}AssembleRaster`, {
    fn: functions.assembleRaster,
    input: jobIds,
    from: { tenant: '$.plan.tenant' },
    ...(copies ? { keep: 'input' } : {}),
  });
  assembleRaster.addCatch(finishFailedJob, { resultPath: '$.error' });

  if (copies) assembleRaster.next(defineCopyResult(scope, functions));
  return planJob.next(forEachShare).next(assembleRaster);
}

/**
 * Defines one share of a job, with the input `{"batch_id", "job_index", "patch_batches", "tenant"}` and an empty
 * output.
 */
function defineShare(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  prefix: string,
): IChainable {
  const ids = ['batch_id', 'job_index', 'patch_batches', 'tenant'];
  const predict = defineTask(scope, `${prefix}PredictShare`, {
    fn: functions.predictPatchBatch,
    input: ids,
    retries: PREDICTION_RETRIES,
  });
  const fail = defineTask(scope, `${prefix}FailShare`, {
    fn: functions.failPatchBatch,
    input: [...ids, 'error'],
    retries: RECORD_RETRIES,
  });
  predict.addCatch(fail, { resultPath: '$.error' });
  fail.addCatch(
    new Pass(scope, `${prefix}LeftToAssembleRaster`, { outputPath: JsonPath.DISCARD }),
    {
      resultPath: JsonPath.DISCARD,
    },
  );
  return predict;
}

interface TaskProps {
  readonly fn: StepFunction;
  readonly input: readonly string[];
  readonly from?: Readonly<Record<string, string>>;
  readonly constants?: Readonly<Record<string, string>>;
  /**
   * What the state passes on: its input with these fields of the function's result, or its input alone.
   * @default nothing, because the envelope of a result has 1 kB, and maps collect the output of their items
   */
  readonly keep?: { readonly as: string; readonly fields: readonly string[] } | 'input';
  /**
   * @default STEP_RETRIES
   */
  readonly retries?: readonly RetryProps[];
}

function defineTask(
  scope: Construct,
  id: string,
  { fn, input, from = {}, constants = {}, keep, retries }: TaskProps,
): LambdaInvoke {
  const paths = [...input.map((field) => [field, `$.${field}`] as const), ...Object.entries(from)];
  const invoke = new LambdaInvoke(scope, id, {
    // The CDK's types for optional properties are incompatible with exactOptionalPropertyTypes.
    lambdaFunction: fn.currentVersion as IFunction,
    payload: TaskInput.fromObject({
      ...Object.fromEntries(paths.map(([field, path]) => [field, JsonPath.objectAt(path)])),
      ...constants,
    }),
    // The function's timeout comes first; this timeout covers an invocation that never returns.
    taskTimeout: Timeout.duration(Duration.seconds((fn.timeout?.toSeconds() ?? 0) + 10)),
    retryOnServiceExceptions: false,
    ...resultSettings(keep),
  });
  for (const retry of retries ?? STEP_RETRIES) invoke.addRetry(retry);
  return invoke;
}

function resultSettings(keep: TaskProps['keep']) {
  if (keep === undefined) return { resultPath: JsonPath.DISCARD, outputPath: JsonPath.DISCARD };
  if (keep === 'input') return { resultPath: JsonPath.DISCARD };
  const selected = keep.fields.map((field) => [field, JsonPath.objectAt(`$.Payload.${field}`)]);
  return { resultPath: `$.${keep.as}`, resultSelector: Object.fromEntries(selected) };
}
