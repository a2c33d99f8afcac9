import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../../lambdas/domain/batch/batch.ts';
import {
  estimateCompletionRange,
  readUsualTimes,
} from '../../../../lambdas/domain/batch/batch-progress.ts';
import { addSeconds } from '../../../../lambdas/domain/clock.ts';
import { aBatch } from '../../../support/domain/builders.ts';
import { someTimes } from '../../../support/stores/recent-times-contract.ts';

const CREATED = new Date('2026-03-01T10:00:00.000Z');
const at = (seconds: number) => addSeconds(CREATED.toISOString(), seconds);
const started = { status: 'processing', started_at: at(30) } as const;

/**
 * The range of a batch after recent batches of 2 jobs that waited and ran for these seconds; 2 jobs run
 * concurrently.
 */
async function rangeOf(
  batch: Partial<Batch>,
  progress: number,
  now: string,
  recent: readonly { readonly wait: number; readonly run: number }[] = [{ wait: 10, run: 60 }],
) {
  const times = recent.map(({ wait, run }) =>
    someTimes({ jobs: 2, waitSeconds: wait, runSeconds: run }),
  );
  const usual = await readUsualTimes({
    recentTimes: { read: async () => times },
    jobsAtOnce: 2,
  });
  const read = aBatch({ total_jobs: 2, ...batch }, CREATED);
  return usual && estimateCompletionRange(read, progress, now, usual);
}

describe("the range of a batch's completion time", () => {
  it('includes the queue and the run for a waiting batch, and does not change while it waits', async () => {
    const range = { earliest: at(70), latest: at(70) };
    expect(await rangeOf({}, 0, at(1))).toEqual(range);
    expect(await rangeOf({}, 0, at(20))).toEqual(range);
  });

  it('grows with the rounds of concurrent jobs', async () => {
    expect(await rangeOf({ total_jobs: 5 }, 0, at(1))).toMatchObject({ latest: at(10 + 3 * 60) });
  });

  it('is counted from the first planned job if a batch has no progress yet', async () => {
    expect(await rangeOf(started, 0, at(40))).toMatchObject({ latest: at(90) });
  });

  it('spans the durations of recent batches and the rate so far', async () => {
    // A quarter done in 120 s leaves 360 s at this rate, or 45 s (three quarters of 60 s) as in recent batches.
    expect(await rangeOf(started, 0.25, at(150))).toEqual({
      earliest: at(150 + 45),
      latest: at(150 + 360),
    });
  });

  it('is null without a recent batch, once its latest time has passed, and when the batch is final or cancelled', async () => {
    expect(await rangeOf({}, 0, at(1), [])).toBeNull();
    expect(await rangeOf({}, 0, at(71))).toBeNull();
    const completed = {
      ...started,
      status: 'completed',
      completed_at: at(50),
      completed_jobs: 1,
    } as const;
    expect(await rangeOf(completed, 1, at(60))).toBeNull();
    expect(await rangeOf({ ...started, cancel_requested_at: at(40) }, 0.5, at(45))).toBeNull();
  });

  it('is a valid range that ends now or later', async () => {
    const seconds = fc.integer({ min: 0, max: 10_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ wait: seconds, run: seconds }), { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 0, max: 9_999 }),
        fc.integer({ min: 31, max: 20_000 }),
        async (recent, progress, now) => {
          const range = await rangeOf(started, progress / 10_000, at(now), recent);
          if (range === null) return;
          expect(range.earliest <= range.latest).toBe(true);
          expect(range.latest >= at(now)).toBe(true);
        },
      ),
    );
  });
});
