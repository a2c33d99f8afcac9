import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mapInParallel } from '../../../engine/concurrency/in-parallel.ts';

const NUMBERS = Array.from({ length: 20 }, (_, i) => i);

describe('work in parallel', () => {
  it('returns results in the order of the items, whichever finishes first', async () => {
    const results = await mapInParallel(NUMBERS, 6, async (number) => {
      for (let i = number; i < NUMBERS.length; i++) await turn();
      return number * 2;
    });
    expect(results).toEqual(NUMBERS.map((number) => number * 2));
  });

  it('runs as many items at a time as allowed, and never more', async () => {
    let underWay = 0;
    let most = 0;
    await mapInParallel(NUMBERS, 6, async () => {
      most = Math.max(most, ++underWay);
      await turn();
      underWay--;
    });
    expect(most).toBe(6);
  });

  it('starts nothing after a failure, and awaits running items', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = mapInParallel(NUMBERS, 3, async (number) => {
      begun.push(number);
      if (number === 1) throw new Error('the second failed');
      await turn();
      await turn();
      ended.push(number);
    });
    await expect(work).rejects.toThrow('the second failed');
    expect([begun, ended]).toEqual([
      [0, 1, 2],
      [0, 2],
    ]);
  });

  it('throws the first failure', async () => {
    const work = mapInParallel([3, 1, 2], 3, async (turns) => {
      for (let i = 0; i < turns; i++) await turn();
      throw new Error(`after ${turns}`);
    });
    await expect(work).rejects.toThrow('after 1');
  });

  it('returns nothing for no items', async () => {
    expect(await mapInParallel([], 3, async () => 1)).toEqual([]);
  });
});
