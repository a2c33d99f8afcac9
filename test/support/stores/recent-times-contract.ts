import { describe, expect, it } from 'vitest';
import {
  type BatchTimes,
  type RecentTimes,
  TIMES_KEPT,
} from '../../../lambdas/domain/admission/batch-times.ts';

export const someTimes = (changes: Partial<BatchTimes> = {}): BatchTimes => ({
  finishedAt: '2026-03-01T10:00:00.000Z',
  waitSeconds: 1.5,
  runSeconds: 20.25,
  jobs: 3,
  shares: 4,
  predictionSeconds: 2.125,
  ...changes,
});

/** @param open returns the same store each time, which starts empty */
export function recentTimesContract(name: string, open: () => RecentTimes): void {
  describe(`the times of recent batches in ${name}`, () => {
    it('are empty at first, then sorted newest first, and limited in number', async () => {
      const recent = open();
      expect(await recent.read()).toEqual([]);
      for (let jobs = 1; jobs <= TIMES_KEPT + 2; jobs++) await recent.add(someTimes({ jobs }));
      const read = await recent.read();
      expect(read).toHaveLength(TIMES_KEPT);
      expect(read[0]).toEqual(someTimes({ jobs: TIMES_KEPT + 2 }));
      expect(read.at(-1)).toEqual(someTimes({ jobs: 3 }));
    });

    it('keep at least one of several times that are added concurrently', async () => {
      const recent = open();
      const jobs = [901, 902, 903];
      await Promise.all(jobs.map((each) => recent.add(someTimes({ jobs: each }))));
      const read = await recent.read();
      expect(jobs).toContain(read[0]?.jobs);
      expect(read).toHaveLength(TIMES_KEPT);
    });
  });
}
