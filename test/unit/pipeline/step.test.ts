import { afterEach, describe, expect, it, vi } from 'vitest';
import { newBatchId } from '../../../lambdas/domain/identity.ts';
import { jobInput, patchBatchInput, step } from '../../../lambdas/pipeline/step.ts';

const IDS = { batch_id: newBatchId(new Date()), job_index: 3 };

/** Everything a step writes to its log. */
function log(): string[] {
  const lines: string[] = [];
  for (const level of ['info', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((event) => lines.push(JSON.stringify(event)));
  }
  return lines;
}

afterEach(() => vi.restoreAllMocks());

describe('a step of the state machine', () => {
  it('answers with an object and logs one event of ids and outcome', async () => {
    const lines = log();
    const run = async () => ({ kind: 'planned', patchBatches: 12 });
    const handler = step('plan-job', jobInput, run, ({ patchBatches }) => ({ last: patchBatches }));
    expect(await handler(IDS)).toEqual({ last: 12 });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { event: 'plan-job', ...IDS, kind: 'planned', patchBatches: 12 },
    ]);
  });

  it('logs of an error its code alone', async () => {
    const lines = log();
    const location = { ring: 0, vertex: 1, lon: 5.74, lat: 50.97 };
    const error = { code: 'geometry_self_intersection', message: 'at lon 5.74', location };
    await step(
      'plan-job',
      jobInput,
      async () => ({ kind: 'refused', error }),
      () => ({}),
    )(IDS);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ error: 'geometry_self_intersection' });
    expect(lines.join()).not.toContain('5.74');
  });

  it('throws under the name that the state machine retries, and logs no message', async () => {
    const lines = log();
    const throttled = Object.assign(new Error('rate of arn:aws:secret'), {
      name: 'ThrottlingException',
    });
    const handler = step(
      'plan-job',
      jobInput,
      () => Promise.reject(throttled),
      () => ({}),
    );
    await expect(handler(IDS)).rejects.toMatchObject({ name: 'TransientFailure' });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { event: 'plan-job', ...IDS, kind: 'threw', failure: 'TransientFailure' },
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
    const lines = log();
    const run = vi.fn();
    const handler = step('predict-patch-batch', patchBatchInput, run, () => ({}));
    await expect(handler(input)).rejects.toMatchObject({ name: 'ZodError' });
    expect(run).not.toHaveBeenCalled();
    expect(lines.join()).toMatch(/"kind":"threw","failure":"ZodError"/);
    expect(lines.join()).not.toContain('../other');
  });
});
