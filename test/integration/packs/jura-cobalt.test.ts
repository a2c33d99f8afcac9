import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';

const PACK = 'models/jura-cobalt';
const manifest = manifestSchema.parse(JSON.parse(readFileSync(`${PACK}/manifest.json`, 'utf8')));

function run(command: string, ...options: readonly string[]) {
  const { status, stdout } = spawnSync(
    'node',
    ['--import', 'tsx', `bin/${command}.ts`, ...options],
    {
      encoding: 'utf8',
    },
  );
  return { status, found: JSON.parse(stdout) };
}

describe('the pack jura-cobalt', { timeout: 120_000 }, () => {
  it('predicts the 100 validation samples as its card and manifest say', () => {
    const options = [`${PACK}/data/held-out.csv`, '--target', 'cobalt', '--json'];
    const { status, found } = run('pack-validate', PACK, ...options);
    expect(status).toBe(0);
    expect(found.samples).toEqual({ predicted: 100, outside_grid: 0, without_covariates: 0 });
    const { accuracy, coverage } = found;
    expect(accuracy.r2.value).toBeGreaterThan(0.35);
    const measured = {
      R2: accuracy.r2.value,
      'RMSE (mg/kg)': accuracy.rmse,
      'bias (mg/kg)': accuracy.bias,
      'coverage, q05 to q95': coverage[0].inside.value,
    };
    const card = readFileSync(`${PACK}/README.md`, 'utf8').replace(/ +\|/g, ' |');
    const declared = new Map(manifest.accuracy.map(({ metric, value }) => [metric, value]));
    for (const [metric, value] of Object.entries(measured)) {
      expect(declared.get(metric), metric).toBeCloseTo(value, 3);
      expect(card).toContain(`| ${metric} | ${declared.get(metric)?.toFixed(3)} |`);
    }
  });

  it('declares the errors that its withheld blocks have', () => {
    const [, options = ''] = manifest.error?.command.split(' -- ') ?? [];
    const { found } = run('pack-errors', ...options.split(' '), '--json');
    expect(found.error.correlation).toEqual(manifest.error?.correlation);
  });
});
