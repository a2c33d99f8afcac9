import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import project from '../../../package.json' with { type: 'json' };
import { SUITES } from '../../suites.ts';
import { listImports } from './imports.ts';

/** Modules that a unit test must not use: processes, servers, browsers, ONNX Runtime and large tools. */
const OUTSIDE =
  /^(node:)?(child_process|cluster|dgram|http|https|http2|tls|net)$|^(playwright-core|@sparticuz\/chromium|onnxruntime-node|@redocly\/cli|aws-cdk)$/;

const GUARD = 'test/unit/pure.setup.ts';

const inTests = listImports('test');
const importsOf = (file: string) => inTests.filter((one) => one.file === file);

/**
 * Finds forbidden modules that a test file imports, directly or through other test files, with the import path.
 */
function findForbiddenImports(file: string, way: readonly string[] = []): readonly string[] {
  if (way.includes(file)) return [];
  const here = [...way, file];
  return importsOf(file).flatMap(({ target }) => {
    if (target.startsWith('test/')) return findForbiddenImports(target, here);
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

  it('import no modules for processes, servers or browsers, and not ONNX Runtime', () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((file) => findForbiddenImports(file))).toEqual([]);
  });

  it('do not use the Python environment', () => {
    // The name is split, so that this file does not match.
    const environment = ['.local', 'venv'].join('/');
    const naming = files.filter((file) => readFileSync(file, 'utf8').includes(environment));
    expect(naming).toEqual([]);
  });

  it('are checked by a rule that finds violations', () => {
    expect(findForbiddenImports('test/integration/raster/cog.test.ts')).toEqual([
      'test/integration/raster/cog.test.ts → test/integration/raster/gdal.ts → test/integration/raster/run-check.ts → node:child_process',
    ]);
    expect(findForbiddenImports('test/integration/console/fields.test.ts').length).toBeGreaterThan(
      0,
    );
  });
});

describe('the suites', () => {
  const workflow = (name: string) => readFileSync(`.github/workflows/${name}.yml`, 'utf8');
  const listed = (text: string) => text.split(/,? /).filter((name) => name in SUITES);
  const atNight = listed(/ suite: \[(.*)\]/.exec(workflow('night'))?.[1] ?? '');
  const inTest = listSuites(project.scripts.test);
  const onPush = listSuites(workflow('check'));

  it('run in `npm test` or at night', () => {
    expect([...inTest, ...atNight].sort()).toEqual(Object.keys(SUITES).sort());
  });

  it('are in `npm test` if pushes run them', () => {
    expect(onPush).toEqual(['unit', 'infra']);
    expect(onPush.filter((name) => !inTest.includes(name))).toEqual([]);
  });

  it('together run all Vitest projects', () => {
    const projects = readFileSync('vitest.config.ts', 'utf8').matchAll(/name: '([\w-]+)'/g);
    const ran = Object.values(SUITES).flatMap((command) => [
      ...command.matchAll(/--project ([\w-]+)/g),
    ]);
    const names = (found: Iterable<RegExpMatchArray>) => [...found].map(([, name]) => name);
    expect(names(ran)).toEqual(expect.arrayContaining(names(projects)));
  });

  function listSuites(text: string): readonly string[] {
    return [...text.matchAll(/suite -- ([\w -]+)/g)].flatMap(([, names = '']) => listed(names));
  }
});

it('every npm script begins with the set-up', () => {
  const setUp = /^(node local\/setup\.mjs|npm run --silent setup:tests)( |$)/;
  const others = Object.entries(project.scripts).filter(([, script]) => !setUp.test(script));
  expect(others).toEqual([]);
});
