import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { programOf } from '../../support/program.ts';

const PROGRAMS = {
  'pack-sample': await programOf('bin/pack-sample.ts'),
  'pack-validate': await programOf('bin/pack-validate.ts'),
};
const PACK = 'models/meuse-soc';
const folder = mkdtempSync(join(tmpdir(), 'sample-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command on a table with these positions. */
function run(
  command: keyof typeof PROGRAMS,
  positions: readonly string[],
  ...options: readonly string[]
) {
  const file = join(folder, 'samples.csv');
  writeFileSync(file, ['lon,lat,soc', ...positions.map((one) => `${one},20`)].join('\n'));
  const args = [PROGRAMS[command], PACK, file, ...options];
  const { status, stdout, stderr } = spawnSync('node', args, { encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n'), stderr };
}

describe('`npm run pack-sample`', () => {
  it('adds the covariates, empty outside the grid', () => {
    const { status, lines, stderr } = run('pack-sample', ['5.7426,50.9727', '0,0']);
    expect(lines[0]).toMatch(/^lon,lat,soc,\w+,/);
    expect(lines[2]).toMatch(/^0,0,20,+$/);
    expect(stderr).toContain('1 of 2 samples have all covariates');
    expect(status).toBe(0);
  });

  it('fails if no sample has all covariates', () => {
    const { status, stderr } = run('pack-sample', ['0,0', '1,1']);
    expect(stderr).toContain('none of the 2 samples has all covariates: 2 lie outside the grid');
    expect(stderr).not.toContain('swapped');
    expect(status).toBe(1);
  });

  it('and asks whether longitude and latitude are swapped, as `pack-validate` does', () => {
    const positions = ['50.9727,5.7426', '50.9728,5.7427'];
    for (const found of [
      run('pack-sample', positions),
      run('pack-validate', positions, '--target', 'soc'),
    ]) {
      expect(found.stderr).toContain('are lon and lat swapped?');
      expect(found.status).toBe(1);
    }
  });
});
