import validate from 'asl-validator';
import { describe, expect, it } from 'vitest';
import { describeStepFailure } from '../../lambdas/domain/step-failure.ts';
import { isObject, toList, toTexts, valueAtPath } from '../../local/json.ts';
import { PROD } from '../support/infra/prod.ts';
import { synthesise, synthesiseWith } from '../support/infra/synthesised.ts';
import {
  definition,
  errorsRetriedBy,
  functionOf,
  jobBody,
  listStates,
  listStatesOnWay,
  machine,
  namesOf,
  retriersOf,
  shareBody,
} from './states.ts';

const { ofType, text } = synthesise('prod');

const ERROR_NAMES = [
  'CovariateUnavailable',
  'Lambda.AWSLambdaException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ResourceNotFoundException',
  'Lambda.SdkClientException',
  'Lambda.ServiceException',
  'Lambda.TooManyRequestsException',
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
  'States.DataLimitExceeded',
  'States.HeartbeatTimeout',
  'States.Permissions',
  'States.Runtime',
  'States.TaskFailed',
  'States.Timeout',
  'TransientFailure',
  'TypeError',
];

const all = listStates(definition);
const tasks = all.filter(([, state]) => state['Type'] === 'Task');

describe('the state machine', () => {
  it('is valid Amazon States Language', () => {
    const { errors, isValid } = validate(definition);
    expect(errors).toEqual([]);
    expect(isValid).toBe(true);
  });

  it('has STANDARD children, because a job may take more than five minutes', () => {
    expect(valueAtPath(jobBody, 'ProcessorConfig')).toEqual({
      Mode: 'DISTRIBUTED',
      ExecutionType: 'STANDARD',
    });
    expect(machine?.properties['StateMachineType']).toBe('STANDARD');
  });

  it('never lets a failed job fail the execution', () => {
    const map = valueAtPath(definition, 'States', 'ForEachJob');
    expect(valueAtPath(map, 'ToleratedFailurePercentage')).toBe(100);
    expect(toList(valueAtPath(map, 'Catch')).map((way) => valueAtPath(way, 'Next'))).toEqual([
      'FinishBatch',
    ]);
  });

  it('runs a single job without a map, in the same states as one of several', () => {
    expect(valueAtPath(definition, 'StartAt')).toBe('ChooseBody');
    expect(toList(valueAtPath(definition, 'States', 'ChooseBody', 'Choices'))).toEqual([
      { Variable: '$.only_copies', IsPresent: true, Next: 'CopyMissing' },
      { Variable: '$.copies', IsPresent: true, Next: 'CopiedListJobs' },
      { Variable: '$.last_job_index', NumericEquals: 0, Next: 'OnlyJob' },
    ]);
    const only = valueAtPath(definition, 'States', 'OnlyJob');
    expect(namesOf(valueAtPath(only, 'Parameters'))).toEqual(
      namesOf(valueAtPath(definition, 'States', 'ForEachJob', 'ItemSelector')),
    );
    const [branch] = toList(valueAtPath(only, 'Branches'));
    const unprefixed = JSON.parse(JSON.stringify(branch).replace(/"Only(\w+)"/g, '"$1"'));
    const { ProcessorConfig: _, ...states } = isObject(jobBody) ? jobBody : {};
    expect(unprefixed).toEqual(states);
  });

  it('finishes the batch, however a single job ends', () => {
    const only = valueAtPath(definition, 'States', 'OnlyJob');
    expect(valueAtPath(only, 'Next')).toBe('FinishBatch');
    expect(toList(valueAtPath(only, 'Catch'))).toEqual([
      { ErrorEquals: ['States.ALL'], ResultPath: null, Next: 'FinishBatch' },
    ]);
    expect(valueAtPath(only, 'ResultPath')).toBeNull();
  });

  it('enters three states for a job and one for each share, because each is billed', () => {
    expect(listStatesOnWay(jobBody)).toEqual(['PlanJob', 'ForEachShare', 'AssembleRaster']);
    expect(listStatesOnWay(shareBody)).toEqual(['PredictShare']);
  });

  it('copies the result of each job and, at the end, what is missing, but only for a batch with a destination', () => {
    const copied = valueAtPath(definition, 'States', 'CopiedForEachJob', 'ItemProcessor');
    expect(listStatesOnWay(copied)).toEqual([
      'CopiedPlanJob',
      'CopiedForEachShare',
      'CopiedAssembleRaster',
      'CopyResult',
    ]);
    const { ProcessorConfig: _, ...states } = isObject(jobBody) ? jobBody : {};
    expect(JSON.stringify(states)).not.toContain('Cop');
    expect(valueAtPath(definition, 'States', 'CopiedFinishBatch', 'Next')).toBe('CopyMissing');
    for (const name of ['CopiedFinishBatch', 'CopiedAssembleRaster']) {
      expect(Object(Object.fromEntries(all)[name])).not.toHaveProperty('OutputPath');
    }
  });

  it('copies missing results without a map, until none is missing', () => {
    const states = valueAtPath(definition, 'States');
    expect(valueAtPath(states, 'CopyMissing', 'Next')).toBe('IsMoreMissing');
    expect(toList(valueAtPath(states, 'IsMoreMissing', 'Choices'))).toEqual([
      { Variable: '$.copying.more', BooleanEquals: true, Next: 'CopyMissing' },
    ]);
    const end = String(valueAtPath(states, 'IsMoreMissing', 'Default'));
    expect(valueAtPath(states, end, 'End')).toBe(true);
  });

  it('fails the job when a map of patch-batches fails', () => {
    const ways = toList(valueAtPath(jobBody, 'States', 'ForEachShare', 'Catch'));
    expect(ways.map((way) => valueAtPath(way, 'Next'))).toEqual(['FinishFailedJob']);
  });

  it('writes its log without execution data', () => {
    expect(valueAtPath(machine?.properties, 'LoggingConfiguration')).toMatchObject({
      IncludeExecutionData: false,
    });
    expect(valueAtPath(machine?.properties, 'TracingConfiguration')).toEqual({ Enabled: true });
  });
});

describe('every task of the state machine', () => {
  it.each(tasks)('%s has a timeout longer than its function', (_, state) => {
    const version = ofType('AWS::Lambda::Version').find(
      ({ id }) => functionOf(state) === `<${id}>`,
    );
    const fn = ofType('AWS::Lambda::Function').find(
      ({ id }) => text(version?.properties['FunctionName']) === `<${id}>`,
    );
    expect(state['TimeoutSeconds']).toBeGreaterThan(Number(fn?.properties['Timeout']));
  });

  it.each(tasks)(
    '%s is retried with full jitter, except after the death of a worker',
    (_, state) => {
      const retriers = retriersOf(state);
      expect(retriers.length).toBeGreaterThan(0);
      for (const retrier of retriers) {
        const isForDeaths =
          valueAtPath(retrier, 'IntervalSeconds') === 2 &&
          valueAtPath(retrier, 'MaxAttempts') === 2;
        expect(valueAtPath(retrier, 'JitterStrategy')).toBe(isForDeaths ? 'NONE' : 'FULL');
      }
    },
  );

  it.each(
    ['Lambda.Unknown', 'Sandbox.Timedout', 'Runtime.ExitError'].flatMap((error) => [
      { error, name: 'PlanJob', delays: [2, 5] },
      { error, name: 'AssembleRaster', delays: [2, 5] },
      { error, name: 'FinishFailedJob', delays: [2, 5] },
      { error, name: 'CopyResult', delays: [2, 5] },
      { error, name: 'CopyMissing', delays: [2, 5] },
      { error, name: 'PredictShare', delays: [5] },
    ]),
  )('$name is retried $delays s after $error', ({ error, name, delays }) => {
    for (const [, state] of tasks.filter(([task]) => task === name)) {
      const retrier = retriersOf(state).find((one) =>
        toTexts(valueAtPath(one, 'ErrorEquals')).includes(error),
      );
      const [first, rate] = [
        valueAtPath(retrier, 'IntervalSeconds'),
        valueAtPath(retrier, 'BackoffRate') ?? 2,
      ];
      const attempts = Array.from(
        { length: Number(valueAtPath(retrier, 'MaxAttempts')) },
        (_, i) => i,
      );
      expect(attempts.map((i) => Number(first) * Number(rate) ** i)).toEqual(delays);
    }
  });

  it('is retried only on the listed errors, and not by a retrier that the CDK adds', () => {
    const retried = new Set(tasks.flatMap(([, state]) => errorsRetriedBy(state)));
    expect([...retried].sort()).toEqual([
      'CovariateUnavailable',
      'Lambda.AWSLambdaException',
      'Lambda.ClientExecutionTimeoutException',
      'Lambda.SdkClientException',
      'Lambda.ServiceException',
      'Lambda.TooManyRequestsException',
      'Lambda.Unknown',
      'Runtime.ExitError',
      'Runtime.OutOfMemory',
      'Sandbox.Timedout',
      'States.ALL',
      'States.Timeout',
      'TransientFailure',
    ]);
  });

  it.each(tasks)('%s retries throttles with a separate, first retrier', (_, state) => {
    const throttled = 'Lambda.TooManyRequestsException';
    expect(toTexts(valueAtPath(toList(state['Retry'])[0], 'ErrorEquals'))).toEqual([throttled]);
    expect(errorsRetriedBy(state).filter((error) => error === throttled)).toHaveLength(1);
  });

  it.each(tasks.filter(([name]) => !/FailShare$/.test(name)))(
    '%s is retried for hours when throttled',
    (_, state) => {
      const [throttled] = toList(state['Retry']);
      const attempts = Array.from(
        { length: Number(valueAtPath(throttled, 'MaxAttempts')) },
        (_, i) => i,
      );
      const pauses = attempts.map((attempt) =>
        Math.min(
          Number(valueAtPath(throttled, 'IntervalSeconds')) *
            Number(valueAtPath(throttled, 'BackoffRate')) ** attempt,
          Number(valueAtPath(throttled, 'MaxDelaySeconds')),
        ),
      );
      // Full jitter halves the delays on average.
      const mean = pauses.reduce((sum, pause) => sum + pause, 0) / 2;
      expect(mean).toBeGreaterThan(3 * 3_600);
      expect(2 * mean).toBeLessThan(3_600 * PROD.deadlineHours);
      expect(pauses[0], 'the first is for a short burst').toBeLessThanOrEqual(20);
    },
  );

  it.each(tasks)('%s does not retry bad input, except FinishBatch', (name, state) => {
    // FinishBatch is retried on any error, because nothing else would finish the batch soon.
    expect(errorsRetriedBy(state).includes('States.ALL')).toBe(/FinishBatch$/.test(name));
    // `States.TaskFailed` matches any error except a timeout, even an error that the input caused.
    expect(errorsRetriedBy(state)).not.toContain('States.TaskFailed');
  });

  it.each(['PlanJob', 'PredictShare', 'AssembleRaster'])(
    '%s retries every error whose message mentions retries',
    (name) => {
      const [, state] = tasks.find(([candidate]) => candidate === name) ?? [];
      const retried = ERROR_NAMES.filter((errorName) =>
        /retry|retries/.test(describeStepFailure({ Error: errorName }).reason),
      );
      expect(retried.length).toBeGreaterThan(5);
      expect(errorsRetriedBy(state ?? {})).toEqual(expect.arrayContaining(retried));
    },
  );

  it.each(tasks)(
    '%s invokes a published version that is only deleted when its deployment is rolled back',
    (_, state) => {
      const version = ofType('AWS::Lambda::Version').find(
        ({ id }) => functionOf(state) === `<${id}>`,
      );
      expect(version?.whole).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      });
    },
  );

  it('invokes a new version when any step changes', () => {
    const next = synthesiseWith({ ...PROD, memoryMb: { ...PROD.memoryMb, predict: 3_008 } });
    const before = tasks.map(([, state]) => functionOf(state));
    const after = next.ofType('AWS::Lambda::Version').map(({ id }) => `<${id}>`);
    expect(before.filter((version) => after.includes(version))).toEqual([]);
  });

  it('loses its version in a rollback only after the steps that fail jobs have lost theirs', () => {
    const versions = ofType('AWS::Lambda::Version');
    const dependenciesOf = (step: string) =>
      toTexts(
        versions.find(({ id }) => id.startsWith(`Pipeline${step}Current`))?.whole['DependsOn'],
      )
        .map((id) => /^Pipeline(\w+)CurrentVersion/.exec(id)?.[1])
        .sort();
    expect(dependenciesOf('AssembleRaster')).toEqual(['PredictPatchBatch']);
    for (const step of ['FailPatchBatch', 'FinishJob', 'FinishBatch']) {
      expect(dependenciesOf(step)).toEqual(['AssembleRaster', 'PlanJob']);
    }
  });

  it('is not retried if it is FinishBatch and its version is gone, so that the reconciler restarts the batch', () => {
    const retriers = toList(valueAtPath(definition, 'States', 'FinishBatch', 'Retry'));
    const first = retriers.find((retrier) =>
      toTexts(valueAtPath(retrier, 'ErrorEquals')).some((error) =>
        ['Lambda.ResourceNotFoundException', 'States.ALL'].includes(error),
      ),
    );
    expect(valueAtPath(first, 'MaxAttempts')).toBe(0);
  });

  it.each(tasks)('%s passes on only the needed fields of its result', (name, state) => {
    const needed = name === 'CopyMissing' ? ['more.$'] : ['shares.$', 'tenant.$'];
    const kept = state['ResultPath'] === null ? {} : state['ResultSelector'];
    expect(Object.keys(isObject(kept) ? kept : { everything: true })).toEqual(
      state['ResultPath'] === null ? [] : needed,
    );
  });

  it.each(tasks)(
    '%s has a catcher, unless the reconciler repairs what it leaves',
    (name, state) => {
      const catchers = toList(state['Catch']).map((way) => valueAtPath(way, 'ErrorEquals'));
      const isLast = /FinishBatch$|^CopyMissing$/.test(name);
      expect(catchers).toEqual(isLast ? [] : [['States.ALL']]);
    },
  );
});
