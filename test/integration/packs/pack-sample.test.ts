import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { obtainProgram } from '../../support/program.ts';

const program = await obtainProgram('bin/pack-sample.ts');
const PACK = 'models/meuse-soc';
const folder = mkdtempSync(join(tmpdir(), 'sample-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Samples a table with these positions. */
function run(positions: readonly string[], ...options: readonly string[]) {
  const file = join(folder, 'samples.csv');
  writeFileSync(file, ['lon,lat,soc', ...positions.map((one) => `${one},20`)].join('\n'));
  const args = [program, PACK, file, ...options];
  const { status, stdout, stderr } = spawnSync('node', args, { encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n'), stderr };
}

describe('`npm run pack-sample`', () => {
  it('adds the covariates, empty outside the grid', () => {
    const { status, lines, stderr } = run(['5.7426,50.9727', '0,0']);
    expect(lines[0]).toMatch(/^lon,lat,soc,\w+,/);
    expect(lines[2]).toMatch(/^0,0,20,+$/);
    expect(stderr).toContain('1 of 2 samples have all covariates');
    expect(status).toBe(0);
  });

  it('fails if no sample has all covariates', () => {
    const { status, stderr } = run(['0,0', '1,1']);
    expect(stderr).toContain('none of the 2 samples has all covariates: 2 lie outside the grid');
    expect(stderr).not.toContain('swapped');
    expect(status).toBe(1);
  });

  it('adds the predicted bands, the centre of the cell and whether the training has it', () => {
    const training = join(folder, 'training.csv');
    writeFileSync(training, 'lon,lat\n5.7426,50.9727');
    const positions = ['5.7426,50.9727', '5.7526,50.9827', '0,0'];
    const options = ['--predictions', 'soc', '--training', training];
    const { status, lines } = run(positions, ...options);
    expect(lines[0]).toBe(
      'lon,lat,soc,cell_lon,cell_lat,predicted_mean,predicted_q05,predicted_q95,in_training',
    );
    const [, , , lon = '', lat = '', mean = '', q05 = '', q95 = '', trained] =
      lines[1]?.split(',') ?? [];
    expect([Number(lon), Number(lat)]).toEqual([
      expect.closeTo(5.7426, 3),
      expect.closeTo(50.9727, 3),
    ]);
    expect(Number(q05)).toBeLessThan(Number(mean));
    expect(Number(mean)).toBeLessThan(Number(q95));
    expect(trained).toBe('1');
    expect(lines[2]).toMatch(/,0$/);
    expect(lines[3]).toBe('0,0,20,,,,,,0');
    expect(status).toBe(0);
  });

  it('asks whether longitude and latitude are swapped', () => {
    const positions = ['50.9727,5.7426', '50.9728,5.7427'];
    for (const found of [run(positions), run(positions, '--predictions', 'soc')]) {
      expect(found.stderr).toContain('are lon and lat swapped?');
      expect(found.status).toBe(1);
    }
  });
});
