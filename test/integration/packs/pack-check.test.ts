import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aManifest } from '../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../support/model/geotiff-file.ts';
import { obtainProgram } from '../../support/program.ts';

const program = await obtainProgram('bin/pack-check.ts');
const folder = mkdtempSync(join(tmpdir(), 'packs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const forest = readFileSync(new URL('../../fixtures/onnx/forest.onnx', import.meta.url));
const hills = cellsOf((col, row) => Math.fround(Math.sin(col) + row / 30));
/** Land in 15 cells of the grid. */
const island = cellsOf((col, row) => (col < 5 && row < 3 ? 0.5 : -9999));

interface Order {
  /** The forest's targets, of which 1 is always greater than 0. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Whether the bands claim their levels, or their names do alone. */
  readonly withLevels?: boolean;
}

type Changes = Parameters<typeof aManifest>[0] & { readonly slope?: Uint8Array };

/** Runs the command on a pack of such bands. */
function checked(
  name: string,
  { mean, low, high, withLevels = true }: Order,
  cells: number | null,
  { slope = aGeoTiff({ values: hills }), ...changes }: Changes = {},
) {
  const pack = join(folder, name);
  const target = (band: string, index: number, level?: number) => ({
    name: band,
    description: band,
    from: { kind: 'target' as const, index, ...(level === undefined ? {} : { level }) },
  });
  const bands = [
    target('q95', high, withLevels ? 0.95 : undefined),
    target('mean', mean),
    target('q05', low, withLevels ? 0.05 : undefined),
  ];
  mkdirSync(pack);
  writeFileSync(join(pack, 'manifest.json'), JSON.stringify(aManifest({ bands, ...changes })));
  writeFileSync(join(pack, 'forest.onnx'), forest);
  writeFileSync(join(pack, 'slope.tif'), slope);
  writeFileSync(join(pack, 'clay.tif'), aGeoTiff({ values: island, nodata: '-9999' }));
  const command = [program, pack, ...(cells === null ? [] : ['--cells', `${cells}`])];
  const { status, stdout, stderr } = spawnSync('node', command, { encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n'), stderr };
}

describe('`npm run pack-check`', () => {
  it('accepts quantiles in order, and reports the means that leave them', () => {
    const { status, lines, stderr } = checked('good', { mean: 1, low: 0, high: 1 }, 10);
    expect(status).toBe(0);
    expect(lines).toHaveLength(1 + 10);
    expect(stderr).toContain('mean lies outside q05 to q95 in 0 of 10 cells (0.0 %)');
    expect(stderr).not.toContain('asked for');
  });

  it('warns of means outside', () => {
    const { status, stderr } = checked('narrow', { mean: 1, low: 0, high: 0 }, 10);
    expect(status).toBe(0);
    expect(stderr).toContain('warning: mean lies outside q05 to q95 in 10 of 10 cells (100.0 %)');
  });

  it.each([true, false])(
    'refuses a lower quantile above a higher one: levels given %s',
    (withLevels) => {
      const order = { mean: 1, low: 1, high: 0, withLevels };
      const { status, lines, stderr } = checked(`swapped-${withLevels}`, order, 10);
      expect(status).toBe(1);
      expect(stderr).toMatch(/q05 \([\d.]+\) is above q95 \([\d.]+\) .* cross in 10 of 10 cells/);
      expect(lines).toHaveLength(1 + 10);
    },
  );

  it('accepts a pack for jobs that name it, which is no deployment by itself', () => {
    const changes = { by_name_only: true };
    const { status, stderr } = checked('by-name', { mean: 1, low: 0, high: 1 }, 5, changes);
    expect(stderr).toContain('can be deployed');
    expect(status).toBe(0);
  });

  it.each([
    [[500005, 5600000], /slope .* -?0\.50 columns and -?0\.00 rows off/],
    [[500000, 5599990], null],
  ] as const)(
    'warns of a covariate that lies off the grid by part of a cell: %j',
    (origin, warning) => {
      const covariates = aManifest().covariates.map((covariate) =>
        covariate.kind === 'raster' ? { ...covariate, resampling: 'bilinear' as const } : covariate,
      );
      const moved = aGeoTiff({ values: hills, origin });
      const { stderr } = checked(`off-${origin[0]}`, { mean: 1, low: 0, high: 1 }, 5, {
        covariates,
        slope: moved,
      });
      if (warning === null) expect(stderr).not.toContain('off it');
      else expect(stderr).toMatch(warning);
    },
  );

  it('predicts a hundred cells unless told otherwise', () => {
    const { stderr } = checked('usual', { mean: 1, low: 0, high: 1 }, null);
    expect(stderr).toContain('15 of 100 cells');
  });

  it('says when fewer cells exist than were asked for', () => {
    const { status, lines, stderr } = checked('small', { mean: 0, low: 0, high: 1 }, 100);
    expect(status).toBe(0);
    expect(lines).toHaveLength(1 + 15);
    expect(stderr).toContain('15 of 100 cells');
  });
});
