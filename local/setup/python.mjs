import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, run, SetupError } from './run.mjs';

const OLDEST_PYTHON = [3, 11];

const venv = path.join(root, '.local', 'venv');
/** Apart: its packages are those of a data scientist, and its Python reads no other environment. */
const clientVenv = path.join(root, '.local', 'python');
const python = path.join(venv, 'bin', 'python');
const uv = path.join(venv, 'bin', 'uv');

/** The part that a folder's `requirements.txt` lists, in the environment that all such parts share. */
export function pythonPackages(folder, stamp, command) {
  const lock = path.join(root, folder, 'requirements.txt');
  const install = async () => {
    const pip = path.join(venv, 'bin', 'pip');
    // pip comes last: without it, the environment was not made to its end.
    if (!existsSync(python) || !existsSync(pip)) {
      await run(findPython(), ['-m', 'venv', '--clear', venv]);
    }
    if (existsSync(uv)) return withUv(python, lock);
    await run(python, [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      ...trusted(lock),
    ]);
  };
  return {
    isPython: true,
    source: lock,
    stamp: path.join(venv, stamp),
    proof: path.join(venv, 'bin', command),
    install,
  };
}

/** The packages that test those of this project, which come with them. */
export function pythonClientPackages() {
  const lock = path.join(root, 'python', 'requirements.txt');
  const its = path.join(clientVenv, 'bin', 'python');
  const install = async () => {
    await run(uv, ['venv', '--quiet', '--clear', '--python', python, clientVenv]);
    await withUv(its, lock);
    const ours = ['python', 'models/tools'].flatMap((name) => ['-e', path.join(root, name)]);
    const apart = ['--no-deps', '--no-build-isolation'];
    await run(uv, ['pip', 'install', '--quiet', '--python', its, ...apart, ...ours]);
  };
  return {
    isPython: true,
    source: lock,
    stamp: path.join(clientVenv, '.installed-from'),
    proof: path.join(clientVenv, 'bin', 'pytest'),
    install,
  };
}

/** In a few seconds; pip takes more than a minute for the larger parts. */
function withUv(interpreter, lock) {
  return run(uv, ['pip', 'install', '--quiet', '--python', interpreter, ...trusted(lock)]);
}

/** Wheels only: a source package runs code as it is built. */
function trusted(lock) {
  return ['--require-hashes', '--only-binary', ':all:', '-r', lock];
}

/** The first Python on the PATH that is new enough and can create virtual environments. */
function findPython() {
  const probe = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])';
  const oldest = OLDEST_PYTHON.join('.');
  const problems = [];
  const versions = ['3.14', '3.13', '3.12', '3.11'].map((version) => `python${version}`);
  for (const command of ['python3', 'python', ...versions]) {
    const result = spawnSync(command, ['-c', probe], { encoding: 'utf8' });
    if (result.error) continue;
    if (result.status !== 0) {
      problems.push(
        `${command} cannot create virtual environments (on Debian or Ubuntu: apt install python3-venv)`,
      );
      continue;
    }
    const [major, minor] = result.stdout.trim().split('.').map(Number);
    if (major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1])) {
      return command;
    }
    problems.push(`${command} is Python ${result.stdout.trim()}`);
  }
  const found = problems.length > 0 ? problems.join('; ') : 'none was found on the PATH';
  throw new SetupError(`Python ${oldest} or newer is needed: ${found}.`);
}
