import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { WithheldSample } from '../../../bin/packs/errors/withheld.ts';
import { manifestSchema } from '../../../engine/model/pack/manifest.ts';
import { aManifest } from '../../support/model/builders.ts';
import { withheldBlocks } from '../../support/model/correlated-errors.ts';
import { programOf } from '../../support/program.ts';

const program = await programOf('bin/pack-errors.ts');
const folder = mkdtempSync(join(tmpdir(), 'errors-'));
afterAll(() => rmSync(folder, { recursive: true }));

function tableOf(samples: readonly WithheldSample[]): string {
  const file = join(folder, `${samples.length}.csv`);
  const lines = samples.map(({ position: [lon, lat], observed, mean, lower, upper, fold }) =>
    [lon, lat, observed, mean, lower, upper, fold].join(','),
  );
  writeFileSync(file, ['lon,lat,stock,mean,q05,q95,fold', ...lines].join('\n'));
  return file;
}

function packErrors(...options: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('node', [program, ...options], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('`npm run pack-errors`', () => {
  const field = { nugget: 0.3, rangeMetres: 150 };
  const table = tableOf(withheldBlocks({ ...field, blocks: 20 }));

  it('prints a block that a manifest accepts, with how it was measured', () => {
    const options = ['--target', 'stock', '--group', 'fold', '--systematic', '0.05'];
    const { stdout, status } = packErrors(table, ...options, '--max-metres', '500', '--json');
    const { error, fit, group_means } = JSON.parse(stdout);
    const bands = [
      { name: 'mean', description: 'mean', from: { kind: 'target' as const, index: 0 } },
      { name: 'q05', description: 'low', from: { kind: 'target' as const, index: 1, level: 0.05 } },
      {
        name: 'q95',
        description: 'high',
        from: { kind: 'target' as const, index: 2, level: 0.95 },
      },
    ];
    const parsed = manifestSchema.parse(aManifest({ bands, error }));
    expect(parsed.error?.correlation?.nugget).toBeLessThanOrEqual(fit.nugget);
    expect(parsed.error?.systematic_relative_sd).toBe(0.05);
    expect(group_means.inside.n).toBe(20);
    expect(status).toBe(0);
  });

  it('prints the same as text, the block last', () => {
    const { stdout } = packErrors(table, '--target', 'stock');
    expect(stdout).toContain('240 samples');
    expect(stdout).toMatch(/pairs under \d+ m /);
    expect(JSON.parse(`{${stdout.slice(stdout.indexOf('"error"'))}}`).error.lower).toBe('q05');
  });

  it('refuses samples that were withheld one by one', () => {
    const alone = withheldBlocks({ ...field, blocks: 5 });
    const file = tableOf(alone.map((sample, i) => ({ ...sample, fold: String(i) })));
    const { status, stderr } = packErrors(file, '--target', 'stock');
    expect(stderr).toContain('0 pairs that were withheld together');
    expect(status).toBe(1);
  });

  it('refuses samples that were all predicted by one model', () => {
    const file = tableOf(
      withheldBlocks({ ...field, blocks: 6 }).map((sample) => ({ ...sample, fold: 'all' })),
    );
    const { status, stderr } = packErrors(file, '--target', 'stock');
    expect(stderr).toContain('all 72 samples are of the fold all');
    expect(status).toBe(1);
  });

  it('warns of bounds that are too wide for the errors', () => {
    const file = tableOf(withheldBlocks({ ...field, blocks: 21, width: 2 }));
    const { status, stderr } = packErrors(file, '--target', 'stock');
    expect(stderr).toMatch(/^warning: .* sd .*0\.5/m);
    expect(status).toBe(0);
    expect(packErrors(table, '--target', 'stock').stderr).toBe('');
  });

  it('names bounds that are not opposite', () => {
    const { status, stderr } = packErrors(table, '--target', 'stock', '--lower', 'q16');
    expect(stderr).toContain('got q16 and q95');
    expect(status).toBe(2);
  });
});
