import { describe, expect, it, vi } from 'vitest';
import { newBatchId } from '../../../lambdas/domain/identity.ts';
import type { Log } from '../../../lambdas/log.ts';
import { jobInput, patchBatchInput, step } from '../../../lambdas/pipeline/step.ts';

const IDS = { batch_id: newBatchId(new Date()), job_index: 3 };

/** Everything a step writes to its log, through what it is given to write with. */
function log(): { readonly lines: string[]; readonly write: Log } {
  const lines: string[] = [];
  const write: Log = (level, event, members) =>
    lines.push(JSON.stringify({ level, event, ...members }));
  return { lines, write };
}

describe('a step of the state machine', () => {
  it('answers with an object and logs one event of ids and outcome', async () => {
    const { lines, write } = log();
    const run = async () => ({ kind: 'planned', patchBatches: 12 });
    const handler = step(
      'plan-job',
      jobInput,
      run,
      ({ patchBatches }) => ({ last: patchBatches }),
      { write },
    );
    expect(await handler(IDS)).toEqual({ last: 12 });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'info',
        event: 'plan-job',
        ...IDS,
        outcome: 'planned',
        patch_batches: 12,
        duration_ms: expect.any(Number),
      },
    ]);
  });

  it('logs of an error its code alone', async () => {
    const { lines, write } = log();
    const location = { ring: 0, vertex: 1, lon: 5.74, lat: 50.97 };
    const error = { code: 'geometry_self_intersection', message: 'at lon 5.74', location };
    await step(
      'plan-job',
      jobInput,
      async () => ({ kind: 'refused', error }),
      () => ({}),
      { write },
    )(IDS);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ error: 'geometry_self_intersection' });
    expect(lines.join()).not.toContain('5.74');
  });

  it('throws under the name that the state machine retries, and logs no message', async () => {
    const { lines, write } = log();
    const throttled = Object.assign(new Error('rate of arn:aws:secret'), {
      name: 'ThrottlingException',
    });
    const handler = step(
      'plan-job',
      jobInput,
      () => Promise.reject(throttled),
      () => ({}),
      { write },
    );
    await expect(handler(IDS)).rejects.toMatchObject({ name: 'TransientFailure' });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'error',
        event: 'plan-job',
        ...IDS,
        outcome: 'threw',
        failure: 'TransientFailure',
        duration_ms: expect.any(Number),
      },
    ]);
  });

  it.each([
    { ...IDS, batch_id: '../other', patch_batch_idx: 0 },
    { ...IDS, job_index: 1_000, patch_batch_idx: 0 },
    { ...IDS, patch_batch_idx: -1 },
    { ...IDS, patch_batch_idx: 400 },
    { ...IDS, patch_batch_idx: '0' },
    IDS,
  ])('refuses input that is none: %j', async (input) => {
    const { lines, write } = log();
    const run = vi.fn();
    const handler = step('predict-patch-batch', patchBatchInput, run, () => ({}), { write });
    await expect(handler(input)).rejects.toMatchObject({ name: 'ZodError' });
    expect(run).not.toHaveBeenCalled();
    expect(lines.join()).toMatch(/"outcome":"threw","failure":"ZodError"/);
    expect(lines.join()).not.toContain('../other');
  });
});
