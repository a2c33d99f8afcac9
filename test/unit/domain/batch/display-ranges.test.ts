import { describe, expect, it } from 'vitest';
import { computeDisplayRanges } from '../../../../lambdas/domain/batch/display-ranges.ts';
import { finishBatch } from '../../../../lambdas/domain/batch/finish-batch.ts';
// `python/tests/test_common_scale.py` reads the same cases.
import pooled from '../../../fixtures/display-ranges/pooled.json' with { type: 'json' };
import { SUMMARY } from '../../../support/api/batch-with-results.ts';
import { completedJob, failedJob } from '../../../support/api/job-records.ts';
import { aPlannedJob, RESULT } from '../../../support/domain/builders.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD } from '../../../support/domain/polygons.ts';

describe('the display ranges of a batch', () => {
  it.each(pooled)('cover $name', ({ summaries, range }) => {
    const jobs = summaries.map((summary, index) => ({
      ...completedJob(index),
      summary: { ...SUMMARY, ...summary },
    }));
    const expected = range === null ? [] : [{ model: 'meuse-soc@1.0.0', ...endsOf(range) }];
    expect(computeDisplayRanges(jobs)).toEqual(expected);
  });

  it('include one range per model, from its completed jobs with a mean', () => {
    const first = completedJob(0);
    const other = { ...first, model: { ...first.model, id: 'other@1.0.0' } };
    const jobs = [
      { ...first, summary: SUMMARY },
      { ...other, summary: { ...SUMMARY, mean: 0, cell_min: -90, cell_max: 90 } },
      completedJob(2),
      failedJob(3),
    ];
    expect(computeDisplayRanges(jobs).map(({ model }) => model)).toEqual([
      'meuse-soc@1.0.0',
      'other@1.0.0',
    ]);
  });

  it('are stored when the batch ends, and leave out failed jobs', async () => {
    const deployment = aDeployment();
    const jobs = [0, 1].map(() => ({ polygon: FIELD, year: 2024 }));
    const { batch_id: batchId } = await postBatch(deployment, jobs, { webhook: null });
    const at = '2026-03-01T10:00:00.000Z';
    await deployment.jobs.begin(batchId, 0, aPlannedJob(), at);
    const summary = { ...SUMMARY, level: null };
    await deployment.jobs.complete(batchId, 0, at, { ...RESULT, summary });
    await finishBatch(deployment, batchId);
    expect(await deployment.batches.readBatch(batchId)).toMatchObject({
      status: 'partial',
      display_ranges: [{ model: aPlannedJob().model.id, minimum: 21.1234, maximum: 53.3469 }],
    });
  });
});

function endsOf([minimum, maximum]: readonly number[]) {
  return { minimum, maximum };
}
