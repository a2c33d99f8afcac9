import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import project from '../../../package.json' with { type: 'json' };

const folder = mkdtempSync(join(tmpdir(), 'clone-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A clone whose one package is a folder of its own, on a machine with Node and without Python. */
function fresh(name: string): string {
  const clone = join(folder, name);
  mkdirSync(join(clone, 'local'), { recursive: true });
  mkdirSync(join(clone, 'bin'));
  cpSync('local/setup.mjs', join(clone, 'local/setup.mjs'));
  writeFileSync(join(clone, 'local/requirements.txt'), '');
  mkdirSync(join(clone, 'part'));
  writeFileSync(join(clone, 'part/package.json'), '{"name":"part","version":"1.0.0"}');
  const whole = { name: 'clone', version: '1.0.0', dependencies: { part: 'file:part' } };
  writeFileSync(join(clone, 'package.json'), JSON.stringify(whole));
  const locked = {
    '': whole,
    part: { version: '1.0.0' },
    'node_modules/part': { resolved: 'part', link: true },
  };
  const lock = { name: 'clone', version: '1.0.0', lockfileVersion: 3, packages: locked };
  writeFileSync(join(clone, 'package-lock.json'), JSON.stringify(lock));
  for (const command of ['node', 'npm']) {
    const there = spawnSync('which', [command], { encoding: 'utf8' }).stdout.trim();
    symlinkSync(there, join(clone, 'bin', command));
  }
  return clone;
}

function setUp(clone: string, ...args: readonly string[]) {
  const env = { PATH: join(clone, 'bin'), HOME: clone };
  const script = join(clone, 'local/setup.mjs');
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env });
}

it('setup of the packages alone needs no Python and makes no environment of it', () => {
  const clone = fresh('packages');
  const { status, stderr } = setUp(clone, 'packages');
  expect(stderr).toContain('npm ci');
  expect(stderr).not.toContain('emulator');
  expect(status).toBe(0);
  expect(existsSync(join(clone, '.local/venv'))).toBe(false);
  expect(existsSync(join(clone, 'node_modules/.installed-from'))).toBe(true);
});

it('setup of everything needs Python', () => {
  const { status, stderr } = setUp(fresh('everything'));
  expect(status).toBe(1);
  expect(stderr).toMatch(/Python 3\.\d+ or newer is needed/);
});

it('setup refuses an argument that it does not know', () => {
  const clone = fresh('unknown');
  const { status, stderr } = setUp(clone, 'package');
  expect(status).toBe(1);
  expect(stderr).toContain('its only argument is "packages"');
  expect(existsSync(join(clone, 'node_modules'))).toBe(false);
});

it.each(['pack-check', 'pack-sample', 'pack-speed'] as const)(
  '%s sets up the packages alone',
  (name) => {
    expect(project.scripts[name]).toBe(`node local/setup.mjs packages && tsx bin/${name}.ts`);
  },
);
