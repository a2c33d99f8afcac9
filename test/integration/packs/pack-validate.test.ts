import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';
import { transformOf } from '../../../engine/projection/transform.ts';
import { programOf } from '../../support/program.ts';

const program = await programOf('bin/pack-validate.ts');
const PACK = 'models/meuse-soc';
const folder = mkdtempSync(join(tmpdir(), 'validate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const manifest = manifestSchema.parse(JSON.parse(readFileSync(`${PACK}/manifest.json`, 'utf8')));

/**
 * The pack's own samples (models/meuse-soc/data/LICENSE). The model has seen them, so they lie in its
 * intervals more often than claimed. The carbon is 10 ÷ 1.724 of the organic matter (Van Bemmelen), the
 * bulk density roughly 1.2.
 */
function samples(): string {
  const { inverse } = transformOf(manifest.grid);
  const [header = '', ...rows] = readFileSync(`${PACK}/data/meuse.csv`, 'utf8').trim().split('\n');
  const [xAt = 0, yAt = 0, omAt = 0] = ['x', 'y', 'om'].map((name) =>
    header.split(',').indexOf(name),
  );
  const lines = rows.flatMap((row, i) => {
    const fields = row.split(',');
    const organicMatter = fields[omAt] ?? '';
    if (organicMatter === '') return [];
    const [lon, lat] = inverse([Number(fields[xAt]), Number(fields[yAt])]);
    return `${lon},${lat},${((10 * Number(organicMatter)) / 1.724) * (1.2 - 0.03 * Number(organicMatter))},block ${i % 8}`;
  });
  return ['lon,lat,carbon,block', ...lines].join('\n');
}

const table = join(folder, 'held-out.csv');
writeFileSync(table, samples());

function validate(pack: string, ...more: readonly string[]) {
  const command = [program, pack, table, ...more];
  const { status, stdout, stderr } = spawnSync('node', command, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('`npm run pack-validate`', () => {
  it('predicts at the samples, reports on them and draws them', () => {
    const figures = join(folder, 'figures');
    const options = ['--target', 'carbon', '--group', 'block', '--training', table];
    const { stdout, stderr, status } = validate(PACK, ...options, '--figures', figures, '--json');
    const { samples: counts, accuracy, thirds, groups, refusals } = JSON.parse(stdout);
    expect(counts).toEqual({ predicted: 153, outside_grid: 0, without_covariates: 0 });
    expect(accuracy.r2.value).toBeGreaterThan(0.6);
    expect([thirds.length, groups.length]).toEqual([3, 8]);
    expect(refusals[0]).toContain('153 of 153 samples');
    expect(stderr).toMatch(/^wrong: 153 of 153 samples/m);
    expect(status).toBe(1);
    for (const name of ['observed-predicted.svg', 'coverage.svg']) {
      expect(readFileSync(join(figures, name), 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s);
    }
  });

  it('refuses a pack whose covariates are in another order than the graph has them', () => {
    const permuted = join(folder, 'permuted');
    cpSync(PACK, permuted, { recursive: true });
    const covariates = manifest.covariates.toReversed();
    writeFileSync(join(permuted, 'manifest.json'), JSON.stringify({ ...manifest, covariates }));
    const { status, stdout, stderr } = validate(permuted, '--target', 'carbon');
    expect(stderr).toMatch(/^wrong: /m);
    expect(stderr).toMatch(/^not checked: .*--training/m);
    expect(stdout).toContain('153 samples');
    expect(status).toBe(1);
  });

  it('names a column that the table lacks', () => {
    const { status, stderr } = validate(PACK, '--target', 'stock');
    expect(stderr).toContain('no column stock');
    expect(status).toBe(1);
  });
});
