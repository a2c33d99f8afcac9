import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  countPollingTenants,
  countTableUnits,
  listCeilings,
  STATUS_READ_UNITS,
} from '../../../bench/scale/ceilings.ts';
import { computePatience } from '../../../bench/scale/patience.ts';
import { NEW_ACCOUNT_CONCURRENCY, QUOTAS } from '../../../bench/scale/quotas.ts';
import { formatDuration, formatTables } from '../../../bench/scale/report.ts';
import { FIELD, WORKLOADS } from '../../../bench/scale/work.ts';
import { countRequiredConcurrency } from '../../../bin/preflight/concurrency.ts';
import { pricesIn } from '../../../lambdas/domain/cost/prices.ts';
import { readStageConfig } from '../../../lib/config/each-stage.ts';
import { THROTTLED_SHARE, THROTTLED_STEP } from '../../../lib/retries.ts';

const page = readFileSync('docs/scale-and-cost.md', 'utf8');

const cellsOf = (table: string) =>
  table.split('\n').map((row) => row.split('|').map((cell) => cell.trim().replace(/^-+$/, '-')));

describe('docs/scale-and-cost.md', () => {
  it.each(Object.entries(formatTables()))(
    'contains the table of %s as `npm run scale` writes it',
    (name, table) => {
      const written = new RegExp(`<!-- ${name}: [^>]*-->\n\n(.*?)\n\n<!-- end -->`, 's').exec(
        page,
      )?.[1];
      expect(cellsOf(written ?? '')).toEqual(cellsOf(table));
    },
  );

  it('agrees with the stages and docs/aws.md on what runs concurrently', () => {
    const aws = readFileSync('docs/aws.md', 'utf8');
    const { runningBatches, concurrency } = readStageConfig('dev');
    const factors = [runningBatches.inAll, concurrency.jobs, concurrency.patchBatches];
    const product = factors.reduce((all, factor) => all * factor, 1);
    expect(page).toContain(`${factors.join(' × ')} = ${product}`);
    expect(aws).toContain(String(countRequiredConcurrency(readStageConfig('prod'))));
    expect(countRequiredConcurrency(readStageConfig('dev'))).toBeLessThanOrEqual(
      NEW_ACCOUNT_CONCURRENCY,
    );
  });

  it("states the cost of an endless loop at the table's capacity limits, which are at least twice the need", () => {
    const { prices } = pricesIn('us-east-1');
    const anHour = (units: number, price: number) => `$${(units * price * 3_600).toFixed(1)}`;
    for (const stage of ['prod', 'dev'] as const) {
      const { readUnits, writeUnits } = readStageConfig(stage).table;
      expect(page).toContain(anHour(writeUnits, prices.writeUnit));
      expect(page).toContain(anHour(readUnits, prices.readUnit));
    }
    expect(page.replaceAll('\n', ' ')).toContain(
      `${countPollingTenants()} tenants that poll running batches of 1,000 jobs (${STATUS_READ_UNITS} units a poll)`,
    );
    const { table } = readStageConfig('prod');
    for (const [kind, jobs] of WORKLOADS) {
      for (const unit of ['readUnits', 'writeUnits'] as const) {
        expect(2 * countTableUnits(kind, jobs, unit)).toBeLessThanOrEqual(table[unit]);
      }
    }
  });

  it('correctly states that prod fits the account, and which quota binds first', () => {
    const {
      runningBatches: { inAll },
      concurrency: { jobs, patchBatches },
    } = readStageConfig('prod');
    expect(page).toContain(`${inAll} × ${jobs} × ${patchBatches} = ${inAll * jobs * patchBatches}`);
    expect(countRequiredConcurrency(readStageConfig('prod'))).toBeLessThan(QUOTAS.functions.value);
    const firstOfAws = listCeilings(FIELD, 1_000).find(({ by }) => by === 'AWS');
    expect(firstOfAws?.what).toBe('state transitions');
  });
});

it('the pages about reliability and throttles state the waits of a throttled step', () => {
  const [share, step] = [computePatience(THROTTLED_SHARE), computePatience(THROTTLED_STEP)];
  const textOf = (name: string) => readFileSync(`docs/${name}`, 'utf8').replaceAll('\n', ' ');
  const stated = [
    ['reliability.md', [share.most, step.most]],
    ['runbooks/throttles.md', [share.mean, step.mean]],
  ] as const;
  for (const [name, seconds] of stated) {
    for (const each of seconds) expect(textOf(name)).toContain(formatDuration(each));
  }
});
