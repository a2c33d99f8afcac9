import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SECONDS_PER_DAY } from '../../lambdas/domain/clock.ts';
import { SLICE_SECONDS } from '../../lambdas/domain/destination/copy-results.ts';
import { LIMITS, RUN_DAYS } from '../../lambdas/domain/limits.ts';
import { valueAtPath } from '../../local/json.ts';
import { AWS_QUOTAS } from '../support/infra/aws-quotas.ts';
import { attemptsOf, countWorstHistory } from './history.ts';
import {
  definition,
  jobBody,
  lastOf,
  listMembers,
  listStates,
  namesOf,
  shareBody,
} from './states.ts';

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
  // An error's name has at most 256 characters, and its cause 32,768; JSON may take six characters for each.
  error: { Error: 'x'.repeat(256), Cause: '\u0000'.repeat(32_768) },
  step: 'copy-missing',
  copying: { more: false },
};

/** Pairs each body with its input; a map's body receives the fields in its `ItemSelector`. */
const bodies = [
  { what: 'a batch', body: definition, input: ['batch_id', 'last_job_index'] },
  {
    what: 'a job',
    body: jobBody,
    input: namesOf(valueAtPath(definition, 'States', 'ForEachJob', 'ItemSelector')),
  },
  {
    what: 'a share',
    body: shareBody,
    input: namesOf(valueAtPath(jobBody, 'States', 'ForEachShare', 'ItemSelector')),
  },
];

describe("Step Functions' limits", () => {
  it('history: the largest job with every retry stays below the limit, as counted in docs/scale-and-cost.md', () => {
    const events = 2 + countWorstHistory(jobBody, () => LIMITS.patchBatchesPerJob);
    expect(events).toBeGreaterThan(LIMITS.patchBatchesPerJob);
    // The count is the exact worst case; the remainder is a margin.
    expect(events).toBeLessThan(0.98 * AWS_QUOTAS.stateMachineHistoryEvents.limit);
    const aShare = 2 + countWorstHistory(shareBody, () => 0);
    const page = readFileSync('docs/scale-and-cost.md', 'utf8').replaceAll('\n', ' ');
    expect(page).toContain(
      `a share has ${aShare} events, and a job of ${LIMITS.patchBatchesPerJob} shares ${events.toLocaleString('en-GB')}.`,
    );
  });

  it('history: a batch whose only job is the largest also stays below the limit', () => {
    const events = 2 + countWorstHistory(definition, () => LIMITS.patchBatchesPerJob);
    expect(events).toBeGreaterThan(countWorstHistory(jobBody, () => LIMITS.patchBatchesPerJob));
    expect(events).toBeLessThan(0.99 * AWS_QUOTAS.stateMachineHistoryEvents.limit);
  });

  it('history: copying missing results until the timeout of a run stays below the limit, unless many copies are retried', () => {
    const passes = (RUN_DAYS * SECONDS_PER_DAY) / SLICE_SECONDS;
    // The events of a task that succeeds, and those of a choice.
    const aPass = 5 + 2;
    expect(passes * aPass).toBeLessThan(0.5 * AWS_QUOTAS.stateMachineHistoryEvents.limit);
  });

  it('history: the count includes the attempts of each retrier', () => {
    const tasks = listStates(definition);
    const [, predict] = tasks.find(([name]) => name === 'PredictShare') ?? [];
    expect(attemptsOf(predict)).toBe(13);
  });

  it.each([
    ['job', jobBody, LIMITS.jobsPerBatch],
    ['share', shareBody, LIMITS.patchBatchesPerJob],
  ])('payload: the map over every %s only collects empty objects', (_, body, count) => {
    for (const [name, state] of lastOf(body)) expect(state['OutputPath'], name).toBeNull();
    expect(JSON.stringify(Array(count).fill({})).length).toBeLessThan(
      AWS_QUOTAS.stateMachinePayloadBytes.limit,
    );
  });

  it('payload: states only pass IDs, indexes, lists of indexes, the tenant and errors', () => {
    const travelling = bodies.flatMap(({ body, input }) => [...input, ...listMembers(body)]);
    expect([...new Set(travelling)].sort()).toEqual(Object.keys(longest).sort());
  });

  it.each(bodies)('payload: the largest input of a state of $what fits', ({ body, input }) => {
    const members = [...input, ...listMembers(body)];
    const largest = members.map((name) => [name, longest[name]]);
    const text = JSON.stringify(Object.fromEntries(largest));
    expect(Buffer.byteLength(text)).toBeLessThan(AWS_QUOTAS.stateMachinePayloadBytes.limit);
  });
});
