import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { courseChart } from '../../../bench/scale/charts.ts';
import { tablesOf } from '../../../bench/scale/report.ts';
import { NEWCOMERS, PLOTTED, SCENARIOS, type Scenario } from '../../../bench/scale/scenarios.ts';
import { simulate } from '../../../bench/scale/simulate.ts';
import { isNight } from '../../support/runs.ts';

const page = readFileSync('docs/scale-and-cost.md', 'utf8');

/** A table's cells: how wide they are drawn is the formatter's business. */
const cellsOf = (table: string) =>
  table
    .split('\n')
    .filter((row) => /^\| *[^ -]/.test(row))
    .map((row) => row.split('|').map((cell) => cell.trim()));

const run = (scenario: Scenario) => ({
  scenario,
  outcome: simulate(scenario.demand, scenario.setting),
});

/** A million jobs take seconds to simulate. */
const isShort = ({ demand }: Scenario) => demand.overSeconds < 3_600;
const runs = SCENARIOS.filter((one) => isNight || isShort(one)).map(run);
const newcomers = (isNight ? NEWCOMERS : NEWCOMERS.slice(0, 1)).map(run);
const tables = tablesOf(runs, newcomers);

describe('docs/scale-and-cost.md, which `npm run scale` writes', () => {
  it.each(['ceilings', 'patience', 'scenarios', 'newcomers'] as const)(
    'has the table of %s',
    (name) => {
      const written = new RegExp(`<!-- ${name}: [^>]*-->\n\n(.*?)\n\n<!-- end -->`, 's').exec(
        page,
      )?.[1];
      const [shown, computed] = [cellsOf(written ?? ''), cellsOf(tables[name])];
      expect(computed.length).toBeGreaterThan(1);
      expect(shown).toEqual(isNight ? computed : expect.arrayContaining(computed));
    },
  );

  it.runIf(isNight)('shows the chart of these figures', () => {
    const plotted = runs.filter(({ scenario }) => PLOTTED.includes(scenario));
    expect(readFileSync('docs/images/scale-courses.svg', 'utf8')).toBe(courseChart(plotted));
  });

  it('is right that no job fails', () => {
    expect(runs.filter(({ outcome }) => outcome.failedJobs > 0)).toEqual([]);
  });
});
