import { describe, expect, it } from 'vitest';
import { readStageConfig } from '../../../lib/config/each-stage.ts';
import { eventually } from '../../support/deployed/eventually.ts';
import { SEVERAL_PATCH_BATCHES } from '../../support/deployed/jobs.ts';
import {
  findReconcilerLine,
  operator,
  postBatch,
  statusOf,
  waitUntilFinished,
} from '../runbook-signs.ts';

// These runbooks are about faults that also slow down other suites' batches.

const throttled = (named: string, since: Date) =>
  eventually(
    () => operator.throttlesOf(named, since),
    (count) => count >= 1,
    { everyMs: 500 },
  );

describe('throttles: a function has a reserved concurrency of 0', () => {
  it('the throttles are counted, and the batch completes once the limit is removed', async () => {
    const since = new Date();
    let batchId: string;
    {
      await using _limited = await operator.limit('PipelinePredict', 0);
      batchId = await postBatch([SEVERAL_PATCH_BATCHES]);
      // The first throttled prediction may be another suite's, so wait until this batch predicts.
      await eventually(
        () => statusOf(batchId),
        ({ status }) => status === 'processing',
      );
      await throttled('PipelinePredict', since);
    }
    expect((await waitUntilFinished(batchId)).status).toBe('completed');
  });
});

describe('quota-near: a quota is used up', () => {
  it('concurrency: with only one concurrent prediction, batches are throttled but complete', async () => {
    const since = new Date();
    await using _limited = await operator.limit('PipelinePredict', 1);
    // Enough jobs that predictions overlap, however fast each is.
    const jobs = Array(6).fill(SEVERAL_PATCH_BATCHES);
    const ids = [await postBatch(jobs), await postBatch(jobs)];
    await throttled('PipelinePredict', since);
    for (const id of ids) expect((await waitUntilFinished(id)).status).toBe('completed');
  });

  it('running batches: a batch beyond the quota is pending, is counted, and runs later', async () => {
    const since = new Date();
    const { perTenant } = readStageConfig('local').runningBatches;
    const ids: string[] = [];
    for (let batch = 0; batch <= perTenant; batch++) {
      ids.push(await postBatch(Array(4).fill(SEVERAL_PATCH_BATCHES)));
    }
    expect((await statusOf(ids.at(-1) ?? '')).status).toBe('pending');
    await operator.invoke('ReconcilerReconcile', {});
    await findReconcilerLine(since, 'pending');
    for (const id of ids) expect((await waitUntilFinished(id)).status).toBe('completed');
  });
});
