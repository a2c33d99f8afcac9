import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LonLat } from '../../../bin/packs/covariates-at.ts';
import { metresBetween, readWithheld } from '../../../bin/packs/errors/withheld.ts';
import { readSampleTable } from '../../../bin/packs/sample-table.ts';
import { momentsOf, r2Of } from '../../../bin/packs/validation/accuracy.ts';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';
import { programOf } from '../../support/program.ts';

const PACK = 'models/jura-cobalt';
const text = (path: string): string => readFileSync(`${PACK}/${path}`, 'utf8');
const manifest = manifestSchema.parse(JSON.parse(text('manifest.json')));

// Tables are padded to their columns, and long commands broken.
const card = text('README.md')
  .replace(/ +\|/g, ' |')
  .replace(/ \\\n +/g, ' ');
const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const three = (value: number): string => value.toFixed(3);

async function found(command: string) {
  const [script, options = ''] = command.replace('npm run ', '').split(' -- ');
  const node = [await programOf(`bin/${script}.ts`), ...options.split(' '), '--json'];
  const { status, stdout } = spawnSync('node', node, { encoding: 'utf8' });
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

interface Estimate {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

const bounds = ({ lower, upper }: Estimate): string => `${three(lower)}–${three(upper)}`;

describe('the pack jura-cobalt', () => {
  it('predicts the 100 validation samples as its card and manifest say', async () => {
    const [command, ...others] = new Set(manifest.accuracy.map((figure) => figure.command));
    expect(others).toEqual([]);
    expect(card).toContain(`\n${command}\n`);
    const { samples, accuracy, coverage, thirds } = await found(command ?? '');
    expect(samples).toEqual({ predicted: 100, outside_grid: 0, without_covariates: 0 });
    expect(accuracy.r2.value).toBeGreaterThan(0.35);
    const [{ inside, below, above }] = coverage;
    const estimates: Record<string, Estimate> = {
      R2: accuracy.r2,
      'coverage, q05 to q95': inside,
      'share below q05': below,
      'share above q95': above,
    };
    const measured: Record<string, number> = {
      'RMSE (mg/kg)': accuracy.rmse,
      'bias (mg/kg)': accuracy.bias,
    };
    for (const { metric, value, how } of manifest.accuracy) {
      const estimate = estimates[metric];
      expect(three(value), metric).toBe(three(estimate?.value ?? measured[metric] ?? Number.NaN));
      if (estimate !== undefined) expect(how).toContain(`95 % interval ${bounds(estimate)}`);
      expect(card).toContain(
        row(metric, three(value), estimate === undefined ? '–' : bounds(estimate)),
      );
    }
    for (const { name, accuracy: part, inside: share } of thirds) {
      const figures = [part.rmse, part.bias, part.slope].map(three);
      expect(card).toContain(
        row(name, part.n, ...figures, `${three(share.value)} (${bounds(share)})`),
      );
    }
  });

  it('is validated between training samples, at the distances that its card says', () => {
    const [training = [], validation = []] = ['training', 'held-out'].map((name) =>
      readSampleTable(text(`data/${name}.csv`)).samples.map(({ position }) => position),
    );
    const nearest = (from: LonLat, others: readonly LonLat[]): number =>
      Math.min(...others.map((to) => metresBetween(from, to)));
    const away = validation.map((place) => nearest(place, training));
    expect(card).toContain(`nearest training sample, most (m) | ${Math.max(...away).toFixed(0)} |`);
    const apart = validation.map((place) =>
      nearest(
        place,
        validation.filter((other) => other !== place),
      ),
    );
    expect(card).toContain(
      `two validation samples, least (m) | ${Math.min(...apart).toFixed(0)} |`,
    );
  });

  it('predicts withheld blocks as its card says, each repeat of all sites', () => {
    const columns = { target: 'cobalt', lower: 'q05', upper: 'q95', group: null };
    const withheld = readWithheld(text('build/withheld.csv'), columns);
    const repeats = ['0-', '1-'].map((repeat) => {
      const samples = withheld.filter(({ fold }) => fold.startsWith(repeat));
      const pairs = samples.map(({ observed, mean }) => ({
        observed,
        predicted: mean,
        group: null,
      }));
      const { n, rmse, bias } = momentsOf(pairs);
      const below = samples.filter(({ observed, lower }) => observed < lower).length / n;
      const above = samples.filter(({ observed, upper }) => observed > upper).length / n;
      return { n, figures: [r2Of(pairs), rmse, bias, 1 - below - above, below, above].map(three) };
    });
    expect(repeats.map(({ n }) => n)).toEqual([259, 259]);
    expect(card).toContain(row('n, sites', 259, 259));
    const names = ['R2', 'RMSE (mg/kg)', 'bias (mg/kg)', 'coverage, q05 to q95'];
    for (const [i, name] of [...names, 'share below q05', 'share above q95'].entries()) {
      expect(card).toContain(row(name, ...repeats.map(({ figures }) => figures[i] ?? '')));
    }
  });

  it('declares the errors that its withheld blocks have', async () => {
    const { command = '', correlation } = manifest.error ?? {};
    expect(card).toContain(`\n${command}\n`);
    const { error, lags, variance } = await found(command);
    expect(error.correlation).toEqual(correlation);
    for (const lag of lags) {
      expect(card).toContain(row(`${lag.from_m}–${lag.to_m}`, lag.pairs, three(lag.correlation)));
    }
    const sd = 1.645 * Math.sqrt(variance);
    expect(card).toContain(
      row('errors ÷ the standard deviation that the bounds claim, sd', sd.toFixed(2)),
    );
  });
});
