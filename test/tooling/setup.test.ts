import { spawn, spawnSync } from 'node:child_process';
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
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'clone-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Makes a clone with separate package folders, whose PATH has Node but no Python. */
function makeClone(): string {
  const clone = mkdtempSync(join(folder, 'clone-'));
  for (const name of ['bin', 'local', 'models/onnx-runtime']) {
    mkdirSync(join(clone, name), { recursive: true });
  }
  cpSync('local/setup.mjs', join(clone, 'local/setup.mjs'));
  writeFileSync(join(clone, 'local/requirements.txt'), '');
  writePackages(clone, '.', 'part');
  writePackages(clone, 'models/onnx-runtime', 'onnxruntime-node');
  for (const command of ['node', 'npm']) {
    const there = spawnSync('which', [command], { encoding: 'utf8' }).stdout.trim();
    symlinkSync(there, join(clone, 'bin', command));
  }
  return clone;
}

function writePackages(clone: string, name: string, dependency: string): void {
  const whole = { name: 'whole', version: '1.0.0', dependencies: { [dependency]: 'file:source' } };
  const source = { name: dependency, version: '1.0.0' };
  mkdirSync(join(clone, name, 'source'), { recursive: true });
  writeFileSync(join(clone, name, 'package.json'), JSON.stringify(whole));
  writeFileSync(join(clone, name, 'source/package.json'), JSON.stringify(source));
  const link = { resolved: 'source', link: true };
  const packages = { '': whole, source, [`node_modules/${dependency}`]: link };
  const lock = { name: 'whole', version: '1.0.0', lockfileVersion: 3, packages };
  writeFileSync(join(clone, name, 'package-lock.json'), JSON.stringify(lock));
}

const commandIn = (clone: string, folders: readonly string[]) =>
  [join(clone, 'local/setup.mjs'), ...folders] as const;
const environmentOf = (clone: string) => ({ PATH: join(clone, 'bin'), HOME: clone });

function setUp(clone: string, ...folders: readonly string[]) {
  const env = environmentOf(clone);
  return spawnSync(process.execPath, commandIn(clone, folders), { encoding: 'utf8', env });
}

describe('the setup', () => {
  it('installs the given folders once, and without Python if they do not need it', () => {
    const clone = makeClone();
    expect(setUp(clone, '.')).toMatchObject({ status: 0 });
    expect(existsSync(join(clone, 'node_modules/part'))).toBe(true);
    expect(existsSync(join(clone, 'node_modules/onnxruntime-node'))).toBe(false);
    expect(existsSync(join(clone, '.local/venv'))).toBe(false);
    expect(setUp(clone, '.')).toMatchObject({ status: 0, stderr: '' });
  });

  it('installs again if a lock has changed or an installation was interrupted', () => {
    const clone = makeClone();
    setUp(clone, '.');
    const lock = join(clone, 'package-lock.json');
    writeFileSync(lock, `${readFileSync(lock, 'utf8')}\n`);
    expect(setUp(clone, '.').stderr).toContain('package-lock.json');
    rmSync(join(clone, 'node_modules/.installed-from'));
    expect(setUp(clone, '.').stderr).toContain('package-lock.json');
  });

  it('links ONNX Runtime into `node_modules`, even after the other packages were installed again', () => {
    const clone = makeClone();
    const runtime = join(clone, 'node_modules/onnxruntime-node/package.json');
    setUp(clone, '.', 'models/onnx-runtime');
    expect(existsSync(runtime)).toBe(true);
    rmSync(join(clone, 'node_modules'), { recursive: true });
    setUp(clone, '.');
    expect(existsSync(runtime)).toBe(true);
  });

  it('installs once when two commands start at the same time', async () => {
    const clone = makeClone();
    const setups = [0, 1].map(() => {
      const child = spawn(process.execPath, commandIn(clone, ['.']), { env: environmentOf(clone) });
      const output: string[] = [];
      child.stderr.on('data', (chunk) => output.push(String(chunk)));
      return new Promise<readonly [number | null, string]>((resolve) => {
        child.on('close', (code) => resolve([code, output.join('')]));
      });
    });
    const ended = await Promise.all(setups);
    expect(ended.map(([code]) => code)).toEqual([0, 0]);
    expect(ended.filter(([, text]) => text.includes('installing'))).toHaveLength(1);
    expect(existsSync(join(clone, '.local/setup.lock'))).toBe(false);
  });

  it('takes over the lock of an ended process', () => {
    const clone = makeClone();
    mkdirSync(join(clone, '.local'));
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(clone, '.local/setup.lock'), String(pid));
    expect(setUp(clone, '.')).toMatchObject({ status: 0 });
  });

  it('fails without Python, and names the version that it needs', () => {
    const { status, stderr } = setUp(makeClone());
    expect(status).toBe(1);
    expect(stderr).toMatch(/Python 3\.\d+ or newer/);
  });

  it('fails with an older Node, and names the version that it needs', () => {
    const clone = makeClone();
    const old = `data:text/javascript,${encodeURIComponent(
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } })",
    )}`;
    const command = ['--import', old, ...commandIn(clone, ['.'])];
    const env = environmentOf(clone);
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', env });
    expect(status).toBe(1);
    expect(stderr).toMatch(/Node 20\.\d+ or newer .* 18\.20\.0/);
  });

  it('reports that the registry cannot be reached', () => {
    const clone = makeClone();
    const lock = join(clone, 'package-lock.json');
    const { packages, ...rest } = JSON.parse(readFileSync(lock, 'utf8'));
    const remote = { version: '1.0.0', resolved: 'http://127.0.0.1:9/remote-1.0.0.tgz' };
    const dependencies = { ...packages[''].dependencies, remote: '1.0.0' };
    const whole = { ...packages[''], dependencies };
    writeFileSync(join(clone, 'package.json'), JSON.stringify(whole));
    const listed = { ...packages, '': whole, 'node_modules/remote': remote };
    writeFileSync(lock, JSON.stringify({ ...rest, packages: listed }));
    writeFileSync(join(clone, '.npmrc'), 'fetch-retries=0\n');
    const { status, stderr } = setUp(clone, '.');
    expect(status).toBe(1);
    expect(stderr).toContain('check the network connection');
  });

  it('rejects a folder without a lock before it installs anything', () => {
    const clone = makeClone();
    const { status, stderr } = setUp(clone, '.', 'bin');
    expect(status).toBe(1);
    expect(stderr).toContain('bin has neither');
    expect(existsSync(join(clone, 'node_modules'))).toBe(false);
  });
});
