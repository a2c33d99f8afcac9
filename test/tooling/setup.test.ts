import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import project from '../../package.json' with { type: 'json' };

const folder = mkdtempSync(join(tmpdir(), 'clone-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A clone whose packages are folders of its own, on a machine with Node and without Python. */
function fresh(name: string): string {
  const clone = join(folder, name);
  mkdirSync(join(clone, 'local'), { recursive: true });
  mkdirSync(join(clone, 'bin'));
  for (const script of ['local/setup.mjs', 'local/setup'])
    cpSync(script, join(clone, script), { recursive: true });
  writeFileSync(join(clone, 'local/requirements.txt'), '');
  const whole = {
    ...{ name: 'clone', version: '1.0.0', workspaces: ['models/onnx-runtime'] },
    dependencies: { part: 'file:part' },
  };
  const runtime = {
    ...{ name: 'runtime', version: '1.0.0' },
    dependencies: { 'onnxruntime-node': 'file:../../engine' },
  };
  writePackage(clone, '.', whole);
  writePackage(clone, 'models/onnx-runtime', runtime);
  writePackage(clone, 'part', { name: 'part', version: '1.0.0', bin: { tsx: 'tsx.js' } });
  writeFileSync(join(clone, 'part/tsx.js'), '');
  writePackage(clone, 'engine', { name: 'onnxruntime-node', version: '1.0.0' });
  const locked = {
    '': whole,
    part: { version: '1.0.0', bin: { tsx: 'tsx.js' } },
    engine: { name: 'onnxruntime-node', version: '1.0.0' },
    'models/onnx-runtime': runtime,
    'node_modules/part': { resolved: 'part', link: true },
    'node_modules/runtime': { resolved: 'models/onnx-runtime', link: true },
    'node_modules/onnxruntime-node': { resolved: 'engine', link: true },
  };
  const lock = { name: 'clone', version: '1.0.0', lockfileVersion: 3, packages: locked };
  writeFileSync(join(clone, 'package-lock.json'), JSON.stringify(lock));
  for (const command of ['node', 'npm']) {
    const there = spawnSync('which', [command], { encoding: 'utf8' }).stdout.trim();
    symlinkSync(there, join(clone, 'bin', command));
  }
  return clone;
}

function writePackage(clone: string, name: string, contents: object): void {
  mkdirSync(join(clone, name), { recursive: true });
  writeFileSync(join(clone, name, 'package.json'), JSON.stringify(contents));
}

function setUp(clone: string, ...args: readonly string[]) {
  const env = { PATH: join(clone, 'bin'), HOME: clone };
  const script = join(clone, 'local/setup.mjs');
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env });
}

it('setup of the packages alone needs no Python and makes no environment of it', () => {
  const clone = fresh('packages');
  const { status, stderr } = setUp(clone, 'packages');
  expect(stderr).toMatch(/Node packages .*\(about \d+ MB\)/);
  expect(stderr).not.toContain('emulator');
  expect(status).toBe(0);
  expect(existsSync(join(clone, '.local/venv'))).toBe(false);
  expect(existsSync(join(clone, 'node_modules/.installed-from'))).toBe(true);
  expect(existsSync(join(clone, 'node_modules/part'))).toBe(true);
  expect(existsSync(join(clone, 'node_modules/onnxruntime-node'))).toBe(false);
});

it('setup of ONNX Runtime adds it to the packages, once', () => {
  const clone = fresh('onnx-runtime');
  const { status, stderr } = setUp(clone, 'onnx-runtime');
  expect(stderr).toMatch(/ONNX Runtime \(about \d+ MB\)/);
  expect(status).toBe(0);
  expect(existsSync(join(clone, 'node_modules/part'))).toBe(true);
  expect(existsSync(join(clone, 'node_modules/onnxruntime-node/package.json'))).toBe(true);
  expect(setUp(clone, 'onnx-runtime').stderr).toBe('');
});

it('a part that was not installed to its end is installed again', () => {
  const clone = fresh('half');
  setUp(clone, 'onnx-runtime');
  rmSync(join(clone, 'node_modules/.onnx-runtime-installed-from'));
  const { stderr } = setUp(clone, 'onnx-runtime');
  expect(stderr).toContain('ONNX Runtime');
  expect(stderr).not.toContain('Node packages');
});

it('a release, which changes only the versions of the project, installs nothing again', () => {
  const clone = fresh('release');
  setUp(clone, 'packages');
  const file = join(clone, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const { '': whole, ...packages } = lock.packages;
  const released = {
    ...lock,
    version: '1.1.0',
    packages: { '': { ...whole, version: '1.1.0' }, ...packages },
  };
  writeFileSync(file, JSON.stringify(released));
  expect(setUp(clone, 'packages').stderr).toBe('');
  released.packages['node_modules/other'] = { version: '1.0.0', optional: true, os: ['aix'] };
  writeFileSync(file, JSON.stringify(released));
  expect(setUp(clone, 'packages').stderr).toContain('Node packages');
});

it('setup of the emulator needs Python', () => {
  const { status, stderr } = setUp(fresh('emulator'));
  expect(status).toBe(1);
  expect(stderr).toMatch(/Python 3\.\d+ or newer is needed/);
});

it('setup refuses an argument that it does not know', () => {
  const clone = fresh('unknown');
  const { status, stderr } = setUp(clone, 'package');
  expect(status).toBe(1);
  expect(stderr).toContain(
    'packages, onnx-runtime, cli, emulator, python-tools, python-client, generators, types, lint, tests',
  );
  expect(existsSync(join(clone, 'node_modules'))).toBe(false);
});

it.each(['pack-check', 'pack-sample', 'pack-speed'] as const)(
  '%s sets up the packages alone',
  (name) => {
    expect(project.scripts[name]).toBe(`node local/setup.mjs packages && tsx bin/${name}.ts`);
  },
);
