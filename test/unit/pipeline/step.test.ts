import { describe, expect, it, vi } from 'vitest';
import { type BatchId, newBatchId } from '../../../lambdas/domain/identity.ts';
import { type Log, observeBatches } from '../../../lambdas/observability/log.ts';
import { forEachOfShare, jobInput, patchBatchInput, step } from '../../../lambdas/pipeline/step.ts';
import { aBatch } from '../../support/domain/builders.ts';

const IDS = { batch_id: newBatchId(new Date()), job_index: 3 };

function makeLog(): { readonly lines: string[]; readonly write: Log } {
  const lines: string[] = [];
  const write: Log = (level, event, members) =>
    lines.push(JSON.stringify({ level, event, ...members }));
  return { lines, write };
}

describe('a step of the state machine', () => {
  it('returns an object, and logs one event with IDs and outcome', async () => {
    const { lines, write } = makeLog();
    const run = async () => ({ kind: 'planned', patchBatches: 12 });
    const handler = step('plan-job', jobInput, run, {
      toOutput: ({ patchBatches }) => ({ last: patchBatches }),
      write,
    });
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

  it('logs the length of arrays, and nested fields in snake case', async () => {
    const { lines, write } = makeLog();
    const cost = { stateMachine: 0.2, total: 0.3 };
    await step(
      'plan-job',
      jobInput,
      async () => ({ kind: 'planned', shares: [[0, 1], [2]], cost, status: null }),
      { write },
    )(IDS);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      shares: 2,
      cost: { state_machine: 0.2, total: 0.3 },
      status: null,
    });
  });

  it('logs the tenant if it has read the batch, even if it threw', async () => {
    const { lines, write } = makeLog();
    const { batches, knownBatch } = observeBatches({
      readBatch: async (batchId: BatchId) =>
        aBatch({ batch_id: batchId, tenant: 'acme', total_jobs: 7 }),
    });
    const handler = step(
      'finish-batch',
      jobInput,
      async ({ batch_id, job_index }) => {
        if (job_index === 0) return { kind: 'unread' };
        await batches.readBatch(batch_id);
        if (job_index === 1) return { kind: 'read' };
        throw new Error('broken');
      },
      { write, knownBatch },
    );
    const other = newBatchId(new Date());
    await handler({ ...IDS, job_index: 0 });
    await handler({ ...IDS, job_index: 1 });
    await expect(handler({ ...IDS, job_index: 2 })).rejects.toThrow();
    await handler({ batch_id: other, job_index: 0 });
    const logged = lines.map((line) => JSON.parse(line));
    expect(logged.map(({ tenant, total_jobs }) => [tenant, total_jobs])).toEqual([
      [undefined, undefined],
      ['acme', 7],
      ['acme', 7],
      [undefined, undefined],
    ]);
  });

  it.each([
    ['in the input', 'acme', 'acme'],
    ['unless it is unknown', null, undefined],
    ['unless the input lacks it', undefined, undefined],
    ['unless it is not a valid tenant ID', 'a\nline', undefined],
  ])('logs the tenant %s', async (_, tenant, written) => {
    const { lines, write } = makeLog();
    const handler = forEachOfShare(
      step(
        'predict-patch-batch',
        patchBatchInput,
        async (input) => ({ kind: 'completed', fields: Object.keys(input).length }),
        { write },
      ),
    );
    await handler({ ...IDS, patch_batches: [0], tenant });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ outcome: 'completed', fields: 3 });
    expect(JSON.parse(lines[0] ?? '').tenant).toBe(written);
  });

  it('logs only the code of errors', async () => {
    const { lines, write } = makeLog();
    const location = { ring: 0, vertex: 1, lon: 5.74, lat: 50.97 };
    const error = { code: 'geometry_self_intersection', message: 'at lon 5.74', location };
    await step('plan-job', jobInput, async () => ({ kind: 'refused', error }), { write })(IDS);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ error: 'geometry_self_intersection' });
    expect(lines.join()).not.toContain('5.74');
  });

  it('throws the error that the state machine retries, without logging its message', async () => {
    const { lines, write } = makeLog();
    const throttled = Object.assign(new Error('rate of arn:aws:secret'), {
      name: 'ThrottlingException',
    });
    const handler = step('plan-job', jobInput, () => Promise.reject(throttled), { write });
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
  ])('rejects invalid input: %j', async (input) => {
    const { lines, write } = makeLog();
    const run = vi.fn();
    const handler = step('predict-patch-batch', patchBatchInput, run, { write });
    await expect(handler(input)).rejects.toMatchObject({ name: '$ZodError' });
    expect(run).not.toHaveBeenCalled();
    expect(lines.join()).toMatch(/"outcome":"threw","failure":"\$ZodError"/);
    expect(lines.join()).not.toContain('../other');
  });
});

describe('a share of patch-batches', () => {
  const share = (run: (idx: number) => Promise<{ kind: string }>, write: Log) =>
    forEachOfShare(
      step('predict-patch-batch', patchBatchInput, ({ patch_batch_idx }) => run(patch_batch_idx), {
        write,
      }),
    );

  it('is processed in order, with a log entry for each patch-batch', async () => {
    const { lines, write } = makeLog();
    const handler = share(async () => ({ kind: 'completed' }), write);
    expect(await handler({ ...IDS, patch_batches: [3, 4, 5] })).toEqual({});
    const logged = lines.map((line) => JSON.parse(line).patch_batch_idx);
    expect(logged).toEqual([3, 4, 5]);
  });

  it('stops at the first patch-batch that throws', async () => {
    const { lines, write } = makeLog();
    const handler = share(async (idx) => {
      if (idx === 4) throw new Error('gone');
      return { kind: 'completed' };
    }, write);
    await expect(handler({ ...IDS, patch_batches: [3, 4, 5] })).rejects.toThrow('gone');
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['completed', 'threw']);
  });

  it.each([{}, { patch_batches: [] }, { patch_batches: [400] }, { patch_batches: 1 }])(
    'is rejected and logged when it is %j',
    async (wrong) => {
      const { lines, write } = makeLog();
      const handler = share(async () => ({ kind: 'completed' }), write);
      await expect(handler({ ...IDS, ...wrong })).rejects.toThrow();
      expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['threw']);
    },
  );
});
