import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const entries = [
  'geometry/parse',
  'geometry/ellipsoid',
  'raster/grid/plan',
  'raster/cog/block-encoder',
  'raster/cog/assemble',
];

it('the engine loads in Node’s own loader, which is stricter with CommonJS than the test runner’s', () => {
  const engine = join(import.meta.dirname, '../../../engine');
  const program = entries
    .map((entry, i) => `import * as m${i} from '${join(engine, `${entry}.ts`)}';`)
    .concat('console.log([m0, m1, m2, m3, m4].flatMap(Object.keys).join());')
    .join('\n');
  const printed = execFileSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program],
    { encoding: 'utf8' },
  );
  expect(printed).toContain('computeHectares');
  expect(printed).toContain('assembleCog');
});
