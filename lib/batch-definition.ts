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

/** The parts of a step's function that the definition needs. */
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
 * Defines the state machine of a batch. Its input is `{"batch_id", "last_job_index"}`, and `copies` if the batch has a
 * destination. States pass on only IDs, indexes, the tenant's name and errors, because a payload is limited to 256 KiB
 * and a history to 25,000 events. The limit on events is also why several jobs are child executions of a distributed
 * map.
 */
export function defineBatch(
  scope: Construct,
  { functions, concurrency }: BatchDefinitionProps,
): Choice {
  const finishBatch = defineFinish(scope, functions, '');
  return (
    new Choice(scope, 'IsOnlyJob')
      // A batch with a destination has a separate body, because a copying state in every job would cost other batches a
      // quarter more transitions.
      .when(Condition.isPresent('$.copies'), defineCopied(scope, functions, concurrency))
      .when(
        Condition.numberEquals('$.last_job_index', 0),
        defineOnlyJob(scope, functions, concurrency)
          .addCatch(finishBatch, { resultPath: JsonPath.DISCARD })
          .next(finishBatch),
      )
      .otherwise(defineJobs(scope, functions, { concurrency, prefix: '', finishBatch }))
  );
}

/** Defines a batch with a destination: each job copies its result, and the batch copies its tables. */
function defineCopied(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  concurrency: StageConfig['concurrency'],
): IChainable {
  const finishBatch = defineFinish(scope, functions, 'Copied');
  const copyTables = defineCopy(scope, 'CopyTables', functions, ['batch_id']);
  const jobs = defineJobs(scope, functions, { concurrency, prefix: 'Copied', finishBatch });
  finishBatch.next(copyTables);
  return jobs;
}

function defineFinish(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  prefix: JobProps['prefix'],
): LambdaInvoke {
  return defineTask(scope, `${prefix}FinishBatch`, {
    fn: functions.finishBatch,
    input: ['batch_id'],
    retries: FINISH_RETRIES,
    ...(prefix === 'Copied' ? { keep: 'input' } : {}),
  });
}

/** Defines a copy that never fails its job, because the client can request missing results later. */
function defineCopy(
  scope: Construct,
  id: string,
  { copyResults }: BatchSteps<StepFunction>,
  input: readonly string[],
): IChainable {
  const copy = defineTask(scope, id, { fn: copyResults, input });
  return copy.addCatch(new Pass(scope, `${id}LeftToClient`, { outputPath: JsonPath.DISCARD }), {
    resultPath: JsonPath.DISCARD,
  });
}

function defineJobs(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  { concurrency, prefix, finishBatch }: JobProps & { readonly finishBatch: LambdaInvoke },
): IChainable {
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
  forEachJob.itemProcessor(defineJob(scope, functions, { concurrency, prefix }));
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
  return job.branch(defineJob(scope, functions, { concurrency, prefix: 'Only' }));
}

interface JobProps {
  readonly concurrency: StageConfig['concurrency'];
  /** State names must be unique in the whole definition, so this begins the names of one body's states. */
  readonly prefix: '' | 'Only' | 'Copied';
}

/**
 * Defines one job, which is a child execution or a branch, with the input `{"batch_id", "job_index"}` and an empty
 * output. Each state transition is billed: three for the job, one for each share, and one for the child execution or
 * branch.
 */
function defineJob(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  { concurrency, prefix }: JobProps,
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
    ...(prefix === 'Copied' ? { keep: 'input' } : {}),
  });
  assembleRaster.addCatch(finishFailedJob, { resultPath: '$.error' });

  if (prefix === 'Copied') {
    assembleRaster.next(defineCopy(scope, 'CopyResult', functions, jobIds));
  }
  return planJob.next(forEachShare).next(assembleRaster);
}

/**
 * Defines one share of a job, with the input `{"batch_id", "job_index", "patch_batches", "tenant"}` and an empty
 * output.
 */
function defineShare(
  scope: Construct,
  functions: BatchSteps<StepFunction>,
  prefix: JobProps['prefix'],
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
  /** Fields of the state's input that the function receives. */
  readonly input: readonly string[];
  /** Further fields that the function receives, with their JSON paths. */
  readonly from?: Readonly<Record<string, string>>;
  /**
   * Fields of the function's result that the state adds to its input, or its input alone, for the next state.
   * @default none, because the envelope of an invocation has 1 kB and maps collect the output of their items
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
  { fn, input, from = {}, keep, retries }: TaskProps,
): LambdaInvoke {
  const paths = [...input.map((field) => [field, `$.${field}`] as const), ...Object.entries(from)];
  const invoke = new LambdaInvoke(scope, id, {
    // The CDK's types for optional properties are incompatible with exactOptionalPropertyTypes.
    lambdaFunction: fn.currentVersion as IFunction,
    payload: TaskInput.fromObject(
      Object.fromEntries(paths.map(([field, path]) => [field, JsonPath.objectAt(path)])),
    ),
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
