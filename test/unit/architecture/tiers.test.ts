import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsWithin } from './imports.ts';

/** What a unit test does without: other processes, servers, and the packages that come with engines. */
const ENGINES =
  /^(node:)?(child_process|cluster|dgram|http|https|http2|tls|net)$|^(playwright-core|@sparticuz\/chromium|onnxruntime-node|@redocly\/cli|aws-cdk)$/;

/** Refuses what its neighbours must not do. */
const GUARD = 'test/unit/pure.setup.ts';

const inTests = importsWithin('test');
const importsOf = (file: string) => inTests.filter((one) => one.file === file);

/** Engines that a test file imports, itself or by other files of the tests, with the way to them. */
function enginesOf(file: string, way: readonly string[] = []): readonly string[] {
  if (way.includes(file)) return [];
  const here = [...way, file];
  return importsOf(file).flatMap(({ target }) => {
    if (target.startsWith('test/')) return enginesOf(target, here);
    return ENGINES.test(target) ? [[...here, target].join(' → ')] : [];
  });
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

describe('the unit tests', () => {
  const files = filesOf('test/unit').filter((file) => file !== GUARD);

  it('import no engine, no server and no process', () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((file) => enginesOf(file))).toEqual([]);
  });

  it('name no Python environment', () => {
    // In two parts, or this file would name it.
    const environment = ['.local', 'venv'].join('/');
    const naming = files.filter((file) => readFileSync(file, 'utf8').includes(environment));
    expect(naming).toEqual([]);
  });

  it('would be found if they did', () => {
    expect(enginesOf('test/integration/raster/cog.test.ts')).toEqual([
      'test/integration/raster/cog.test.ts → test/integration/raster/gdal.ts → test/integration/raster/run-check.ts → node:child_process',
    ]);
    expect(enginesOf('test/integration/widget/pages.test.ts').length).toBeGreaterThan(0);
  });
});

describe('every suite', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const night = readFileSync('.github/workflows/night.yml', 'utf8');
  const suites = [...readFileSync('vitest.config.ts', 'utf8').matchAll(/name: '([\w-]+)'/g)].map(
    ([, name = '']) => name,
  );

  it('runs in npm test or at night', () => {
    expect(suites).toContain('unit');
    const atNight = [...night.matchAll(/"(test:[\w-]+)"/g)].flatMap(([, name = '']) =>
      suitesOf(name),
    );
    expect([...suitesOf('test'), ...atNight]).toEqual(expect.arrayContaining(suites));
  });

  it('that is fast enough for a push is in npm test, too', () => {
    const pushed = suitesOf('test:push');
    expect(pushed).toEqual(['unit', 'infra']);
    expect(suitesOf('test')).toEqual(expect.arrayContaining(pushed));
  });

  /** Of a script and those that it runs. */
  function suitesOf(script: string): string[] {
    const command = scripts[script] ?? '';
    const own = [...command.matchAll(/--project ([\w-]+)/g)].map(([, suite = '']) => suite);
    const runs = [...command.matchAll(/npm run --silent ([\w:-]+)/g)];
    return [...own, ...runs.flatMap(([, name = '']) => suitesOf(name))];
  }
});
