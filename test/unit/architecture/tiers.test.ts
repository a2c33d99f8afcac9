import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsWithin } from './imports.ts';

/** What a unit test does without: other processes, servers, browsers, ONNX Runtime and large tools. */
const OUTSIDE =
  /^(node:)?(child_process|cluster|dgram|http|https|http2|tls|net)$|^(playwright-core|@sparticuz\/chromium|onnxruntime-node|@redocly\/cli|aws-cdk)$/;

/** Refuses what its neighbours must not do. */
const GUARD = 'test/unit/pure.setup.ts';

const inTests = importsWithin('test');
const importsOf = (file: string) => inTests.filter((one) => one.file === file);

/** Finds such modules that a test file imports, itself or by other test files, with the way to them. */
function outsideOf(file: string, way: readonly string[] = []): readonly string[] {
  if (way.includes(file)) return [];
  const here = [...way, file];
  return importsOf(file).flatMap(({ target }) => {
    if (target.startsWith('test/')) return outsideOf(target, here);
    return OUTSIDE.test(target) ? [[...here, target].join(' → ')] : [];
  });
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

describe('the unit tests', () => {
  const files = filesOf('test/unit').filter((file) => file !== GUARD);

  it('import no process, server, browser or ONNX Runtime', () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((file) => outsideOf(file))).toEqual([]);
  });

  it('name no Python environment', () => {
    // In two parts, or this file would name it.
    const environment = ['.local', 'venv'].join('/');
    const naming = files.filter((file) => readFileSync(file, 'utf8').includes(environment));
    expect(naming).toEqual([]);
  });

  it('would be found if they did', () => {
    expect(outsideOf('test/integration/raster/cog.test.ts')).toEqual([
      'test/integration/raster/cog.test.ts → test/integration/raster/gdal.ts → test/integration/raster/run-check.ts → node:child_process',
    ]);
    expect(outsideOf('test/integration/console/fields.test.ts').length).toBeGreaterThan(0);
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

  it('that has a command of its own runs in npm test, for a change or at night', () => {
    const changes = readFileSync('.github/workflows/check.yml', 'utf8');
    const ran = [
      ...night.matchAll(/"(test:[\w-]+)"/g),
      ...changes.matchAll(/npm run (test:\w+)$/gm),
    ];
    const commands = ran.map(([, name = '']) => name);
    const suites = Object.keys(scripts).filter((name) => name.startsWith('test:'));
    expect([...commands, ...commandsOf('test')]).toEqual(expect.arrayContaining(suites));
  });

  it('that is fast enough for a push is in npm test, too', () => {
    const pushed = suitesOf('test:push');
    expect(pushed).toEqual(['unit', 'infra']);
    expect(suitesOf('test')).toEqual(expect.arrayContaining(pushed));
  });

  /** The suites of a script and of the scripts that it runs. */
  function suitesOf(script: string): string[] {
    return [script, ...commandsOf(script)].flatMap((name) =>
      [...(scripts[name] ?? '').matchAll(/--project ([\w-]+)/g)].map(([, suite = '']) => suite),
    );
  }

  /** The scripts that a script runs. */
  function commandsOf(script: string): string[] {
    const runs = [...(scripts[script] ?? '').matchAll(/npm run --silent ([\w:-]+)/g)];
    return runs.flatMap(([, name = '']) => [name, ...commandsOf(name)]);
  }
});
