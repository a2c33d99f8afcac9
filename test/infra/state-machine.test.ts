import { readFileSync } from 'node:fs';
import validate from 'asl-validator';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { describeStepFailure } from '../../lambdas/domain/step-failure.ts';
import { stageConfig } from '../../lib/config/each-stage.ts';
import { AWS_QUOTAS } from '../support/infra/aws-quotas.ts';
import { at, isObject, type JsonObject, listOf, textsOf } from '../support/infra/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';
import { attemptsOf, worstHistory } from './history.ts';
import {
  errorsRetriedBy,
  functionOf,
  lastOf,
  membersWithin,
  namesOf,
  statesWithin,
  wayThrough,
} from './states.ts';

const { ofType, text } = synthesise('prod');
const [machine] = ofType('AWS::StepFunctions::StateMachine');
const definition = JSON.parse(text(machine?.properties['DefinitionString'])) as JsonObject;
const jobBody = at(definition, 'States', 'ForEachJob', 'ItemProcessor');
const shareBody = at(jobBody, 'States', 'ForEachShare', 'ItemProcessor');

const indexes = (count: number) => [...Array(count).keys()];

/** The longest value of each field that is passed between states. */
const longest: Readonly<Record<string, unknown>> = {
  batch_id: '00000000-0000-7000-8000-000000000000',
  last_job_index: LIMITS.jobsPerBatch - 1,
  jobs: indexes(LIMITS.jobsPerBatch),
  job_index: LIMITS.jobsPerBatch - 1,
  plan: {
    shares: indexes(LIMITS.patchBatchesPerJob).map((idx) => [idx]),
    tenant: 'x'.repeat(63),
  },
  tenant: 'x'.repeat(63),
  patch_batches: indexes(LIMITS.patchBatchesPerJob),
  // An error's name has at most 256 characters, its cause 32,768; JSON may escape each as six.
  error: { Error: 'x'.repeat(256), Cause: '\u0000'.repeat(32_768) },
};

/** Each body with its input; a map's body receives what its `ItemSelector` names. */
const bodies = [
  { what: 'a batch', body: definition, input: ['batch_id', 'last_job_index'] },
  {
    what: 'a job',
    body: jobBody,
    input: namesOf(at(definition, 'States', 'ForEachJob', 'ItemSelector')),
  },
  {
    what: 'a share',
    body: shareBody,
    input: namesOf(at(jobBody, 'States', 'ForEachShare', 'ItemSelector')),
  },
];

/** Errors of Lambda, Step Functions and the steps, and an unknown one. */
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

const all = statesWithin(definition);
const tasks = all.filter(([, state]) => state['Type'] === 'Task');

describe('the state machine', () => {
  it('is valid Amazon States Language', () => {
    const { errors, isValid } = validate(definition);
    expect(errors).toEqual([]);
    expect(isValid).toBe(true);
  });

  it('has STANDARD children, because a job may take more than five minutes', () => {
    expect(at(jobBody, 'ProcessorConfig')).toEqual({
      Mode: 'DISTRIBUTED',
      ExecutionType: 'STANDARD',
    });
    expect(machine?.properties['StateMachineType']).toBe('STANDARD');
  });

  it('lets no job fail its batch', () => {
    const map = at(definition, 'States', 'ForEachJob');
    expect(at(map, 'ToleratedFailurePercentage')).toBe(100);
    expect(listOf(at(map, 'Catch')).map((way) => at(way, 'Next'))).toEqual(['FinishBatch']);
  });

  it('runs an only job without a map, in the same states as one of several', () => {
    const [choice] = listOf(at(definition, 'States', 'IsOnlyJob', 'Choices'));
    expect(choice).toEqual({ Variable: '$.last_job_index', NumericEquals: 0, Next: 'OnlyJob' });
    expect(at(definition, 'StartAt')).toBe('IsOnlyJob');
    const only = at(definition, 'States', 'OnlyJob');
    expect(namesOf(at(only, 'Parameters'))).toEqual(
      namesOf(at(definition, 'States', 'ForEachJob', 'ItemSelector')),
    );
    const [branch] = listOf(at(only, 'Branches'));
    const unprefixed = JSON.parse(JSON.stringify(branch).replace(/"Only(\w+)"/g, '"$1"'));
    const { ProcessorConfig: _, ...states } = isObject(jobBody) ? jobBody : {};
    expect(unprefixed).toEqual(states);
  });

  it('finishes the batch, whatever becomes of an only job', () => {
    const only = at(definition, 'States', 'OnlyJob');
    expect(at(only, 'Next')).toBe('FinishBatch');
    expect(listOf(at(only, 'Catch'))).toEqual([
      { ErrorEquals: ['States.ALL'], ResultPath: null, Next: 'FinishBatch' },
    ]);
    expect(at(only, 'ResultPath')).toBeNull();
  });

  it('enters three states for a job and one for each share: each is billed', () => {
    expect(wayThrough(jobBody)).toEqual(['PlanJob', 'ForEachShare', 'AssembleRaster']);
    expect(wayThrough(shareBody)).toEqual(['PredictShare']);
  });

  it('fails the job when a map of patch-batches fails', () => {
    const ways = listOf(at(jobBody, 'States', 'ForEachShare', 'Catch'));
    expect(ways.map((way) => at(way, 'Next'))).toEqual(['FinishFailedJob']);
  });

  it('writes its log without execution data', () => {
    expect(at(machine?.properties, 'LoggingConfiguration')).toMatchObject({
      IncludeExecutionData: false,
    });
    expect(at(machine?.properties, 'TracingConfiguration')).toEqual({ Enabled: true });
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

  it.each(tasks)('%s is retried with full jitter', (_, state) => {
    const retriers = listOf(state['Retry']);
    expect(retriers.length).toBeGreaterThan(0);
    for (const retrier of retriers) expect(at(retrier, 'JitterStrategy')).toBe('FULL');
  });

  it('is retried only on the listed errors, so by no retrier that the CDK adds', () => {
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
    expect(textsOf(at(listOf(state['Retry'])[0], 'ErrorEquals'))).toEqual([throttled]);
    expect(errorsRetriedBy(state).filter((error) => error === throttled)).toHaveLength(1);
  });

  it.each(tasks.filter(([name]) => name !== 'FailShare'))(
    '%s is retried for hours when throttled',
    (_, state) => {
      const [throttled] = listOf(state['Retry']);
      const pauses = indexes(Number(at(throttled, 'MaxAttempts'))).map((attempt) =>
        Math.min(
          Number(at(throttled, 'IntervalSeconds')) *
            Number(at(throttled, 'BackoffRate')) ** attempt,
          Number(at(throttled, 'MaxDelaySeconds')),
        ),
      );
      // Full jitter halves them on average.
      const mean = pauses.reduce((sum, pause) => sum + pause, 0) / 2;
      expect(mean).toBeGreaterThan(3 * 3_600);
      expect(2 * mean).toBeLessThan(3_600 * stageConfig('prod').deadlineHours);
      expect(pauses[0], 'the first is for a short burst').toBeLessThanOrEqual(20);
    },
  );

  it.each(tasks)('%s never retries bad input', (name, state) => {
    // FinishBatch is retried on any error: nothing else would finish the batch soon.
    expect(errorsRetriedBy(state).includes('States.ALL')).toBe(name === 'FinishBatch');
    // Any error except a timeout, so also one that the input caused.
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

  it.each(tasks)('%s invokes a published version, which later deployments retain', (_, state) => {
    const version = ofType('AWS::Lambda::Version').find(
      ({ id }) => functionOf(state) === `<${id}>`,
    );
    expect(version?.whole).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });

  it.each(tasks)('%s passes on at most the needed fields of the result', (_, state) => {
    const kept = state['ResultPath'] === null ? {} : state['ResultSelector'];
    expect(Object.keys(isObject(kept) ? kept : { everything: true })).toEqual(
      state['ResultPath'] === null ? [] : ['shares.$', 'tenant.$'],
    );
  });

  it.each(tasks.filter(([name]) => name !== 'FinishBatch'))('%s has a catcher', (_, state) => {
    expect(listOf(state['Catch']).map((way) => textsOf(at(way, 'ErrorEquals')))).toEqual([
      ['States.ALL'],
    ]);
  });
});

describe("Step Functions' limits", () => {
  it('States.ArrayRange: no more jobs or patch-batches than it can number', () => {
    expect(LIMITS.jobsPerBatch).toBeLessThanOrEqual(AWS_QUOTAS.stateMachineArrayRange.limit);
    expect(LIMITS.patchBatchesPerJob).toBeLessThanOrEqual(AWS_QUOTAS.stateMachineArrayRange.limit);
  });

  it('history: the largest job stays below it with every retry used, as docs/scale-and-cost.md counts', () => {
    const events = 2 + worstHistory(jobBody, () => LIMITS.patchBatchesPerJob);
    expect(events).toBeGreaterThan(LIMITS.patchBatchesPerJob);
    // The count is the exact worst case; the rest is a margin.
    expect(events).toBeLessThan(0.98 * AWS_QUOTAS.stateMachineHistoryEvents.limit);
    const aShare = 2 + worstHistory(shareBody, () => 0);
    const page = readFileSync('docs/scale-and-cost.md', 'utf8').replaceAll('\n', ' ');
    expect(page).toContain(
      `${aShare} events a share, ${events.toLocaleString('en-GB')} a job of ${LIMITS.patchBatchesPerJob}`,
    );
  });

  it('history: a batch with an only job, the largest, stays below it, too', () => {
    const events = 2 + worstHistory(definition, () => LIMITS.patchBatchesPerJob);
    expect(events).toBeGreaterThan(worstHistory(jobBody, () => LIMITS.patchBatchesPerJob));
    expect(events).toBeLessThan(0.99 * AWS_QUOTAS.stateMachineHistoryEvents.limit);
  });

  it('history: the count follows the retriers', () => {
    const [, predict] = tasks.find(([name]) => name === 'PredictShare') ?? [];
    expect(attemptsOf(predict)).toBe(13);
  });

  it.each([
    ['job', jobBody, LIMITS.jobsPerBatch],
    ['share', shareBody, LIMITS.patchBatchesPerJob],
  ])('payload: what the map over every %s collects is empty objects', (_, body, count) => {
    for (const [name, state] of lastOf(body)) expect(state['OutputPath'], name).toBeNull();
    expect(JSON.stringify(Array(count).fill({})).length).toBeLessThan(
      AWS_QUOTAS.stateMachinePayloadBytes.limit,
    );
  });

  it('payload: only ids, indexes, lists of indexes, the tenant and errors', () => {
    const travelling = bodies.flatMap(({ body, input }) => [...input, ...membersWithin(body)]);
    expect([...new Set(travelling)].sort()).toEqual(Object.keys(longest).sort());
  });

  it.each(bodies)('payload: the largest input of a state of $what fits', ({ body, input }) => {
    const members = [...input, ...membersWithin(body)];
    const largest = members.map((name) => [name, longest[name]]);
    const text = JSON.stringify(Object.fromEntries(largest));
    expect(Buffer.byteLength(text)).toBeLessThan(AWS_QUOTAS.stateMachinePayloadBytes.limit);
  });
});
