import { describe, expect, it } from 'vitest';
import { dynamoScanPositions } from '../../../lambdas/adapters/dynamodb/sparse-index.ts';
import { scanFrom } from '../../../lambdas/domain/reconcile/index-scan.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';
import { pageThroughHints } from './pages.ts';

const makePositions = () => dynamoScanPositions(inMemoryTable(() => new Date()));

const HINTS = Array.from({ length: 250 }, (_, i) => i);
const FORTY = 40;

/** Runs once, and stops reading after the page with the hint `stopAt`. */
async function run(scanPositions: ReturnType<typeof makePositions>, most: number, stopAt?: number) {
  const met: number[] = [];
  const pagesAfter = (position: string | null) => pageThroughHints(HINTS, position, FORTY);
  for await (const page of scanFrom(scanPositions, 'unfinished', pagesAfter, most)) {
    met.push(...page);
    if (stopAt !== undefined && page.includes(stopAt)) break;
  }
  return met;
}

describe('an index scan', () => {
  it('reads all items in one run if they are few, and starts over in the next run', async () => {
    const scanPositions = makePositions();
    expect(await run(scanPositions, 1_000)).toEqual(HINTS);
    expect(await run(scanPositions, 1_000)).toEqual(HINTS);
  });

  it('continues where the last run ended, and reaches every item', async () => {
    const scanPositions = makePositions();
    const runs = [
      await run(scanPositions, 100),
      await run(scanPositions, 100),
      await run(scanPositions, 100),
    ];
    expect(runs.flat()).toEqual(HINTS);
    for (const met of runs) expect(met.length).toBeLessThan(100 + FORTY);
    expect((await run(scanPositions, 100))[0]).toBe(0);
  });

  it('starts with the page that a run did not finish', async () => {
    const scanPositions = makePositions();
    await run(scanPositions, 1_000, 2 * FORTY);
    expect((await run(scanPositions, 1_000))[0]).toBe(2 * FORTY);
  });

  it('keeps its position if its index fails, and throws', async () => {
    const scanPositions = makePositions();
    const failing = async function* (position: string | null) {
      for await (const page of pageThroughHints(HINTS, position, FORTY)) {
        if (page.hints.includes(100)) throw new Error('the index is throttled');
        yield page;
      }
    };
    const reading = async () => {
      for await (const _ of scanFrom(scanPositions, 'unfinished', failing, 1_000));
    };
    await expect(reading()).rejects.toThrow('throttled');
    expect((await run(scanPositions, 1_000))[0]).toBe(2 * FORTY);
  });

  it('starts over if its index can no longer read the position, and throws', async () => {
    const scanPositions = makePositions();
    await run(scanPositions, 100);
    const changed = async function* (position: string | null) {
      if (position !== null) throw new Error('the position is of another index');
      yield* pageThroughHints(HINTS, position, FORTY);
    };
    const reading = async () => {
      for await (const _ of scanFrom(scanPositions, 'unfinished', changed, 1_000));
    };
    await expect(reading()).rejects.toThrow('another index');
    await reading();
  });

  it('skips no item, even if it overlaps with another scan', async () => {
    const scanPositions = makePositions();
    const both = await Promise.all([run(scanPositions, 80), run(scanPositions, 120)]);
    const next = await run(scanPositions, 1_000);
    expect(new Set([...both.flat(), ...next]).size).toBe(HINTS.length);
  });
});
