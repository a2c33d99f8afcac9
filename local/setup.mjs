// Installs the packages in the lock files of some folders, and skips folders that are current. It runs before other
// commands, so it has no dependencies, and an old Node can parse it and report that a newer Node is needed. It prints
// on stderr, because stdout belongs to the command that follows.
// Usage: node local/setup.mjs [folder …]; without a folder, it installs what the service needs on this machine.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = [20, 12];
const OLDEST_PYTHON = [3, 11];

/** The Node packages of the clone, and the emulator. */
const SERVICE = ['.', 'local'];
/** Packages of this project that are installed from source together with the tests' Python packages. */
const OURS = ['python', 'models/tools'];
/**
 * This package is large and only some models need it, so it is installed separately and linked to where Node looks for
 * it.
 */
const ONNX_RUNTIME = 'onnxruntime-node';

const HEARTBEAT_MS = 20_000;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const at = (...names) => path.join(root, ...names);
const venv = at('.local', 'venv');
const inVenv = (name) => path.join(venv, 'bin', name);

/** A failure that its message explains completely. */
class SetupError extends Error {}

/**
 * Describes the part of the installation in a folder. Its stamp contains the hash of the lock file and is written last,
 * so a part that was not installed completely counts as missing.
 */
function partOf(folder) {
  const npmLock = at(folder, 'package-lock.json');
  if (existsSync(npmLock)) {
    const stamp = at(folder, 'node_modules', '.installed-from');
    return { folder, lock: npmLock, stamp, what: 'Node packages', install: installNode };
  }
  const pythonLock = at(folder, 'requirements.txt');
  if (!existsSync(pythonLock)) {
    throw new SetupError(`${folder} has neither a package-lock.json nor a requirements.txt`);
  }
  const stamp = path.join(venv, `.${folder.replace(/\W/g, '-')}-installed-from`);
  return { folder, lock: pythonLock, stamp, what: 'Python packages', install: installPython };
}

function fingerprint({ lock }) {
  const list = `${readFileSync(lock, 'utf8')}${process.platform} ${process.arch}`;
  return createHash('sha256').update(list).digest('hex');
}

function isCurrent(part) {
  return existsSync(part.stamp) && readFileSync(part.stamp, 'utf8') === fingerprint(part);
}

async function installNode({ folder }) {
  // Without `--include=dev`, NODE_ENV=production would leave out the packages that build the functions. Only the root's
  // `.npmrc` forbids scripts, so `--ignore-scripts` is for the other folders.
  const options = ['--ignore-scripts', '--include=dev', '--loglevel=error'];
  await run('npm', ['ci', '--prefix', at(folder), ...options]);
}

async function installPython({ folder, lock }) {
  const pip = inVenv('pip');
  // pip is installed last, so an environment without pip was not created completely.
  if (!existsSync(pip)) await run(findPython(), ['-m', 'venv', '--clear', venv]);
  // uv is much faster than pip, and comes with the emulator's packages, which pip installs.
  const uv = existsSync(inVenv('uv')) ? [inVenv('uv'), 'pip'] : [pip];
  const install = [...uv.slice(1), 'install', '--quiet'];
  const env = { VIRTUAL_ENV: venv, PIP_DISABLE_PIP_VERSION_CHECK: '1' };
  // Only wheels are installed, because a source package runs code while it is built.
  await run(uv[0], [...install, '--require-hashes', '--only-binary', ':all:', '-r', lock], env);
  if (folder !== 'test') return;
  const ours = OURS.flatMap((name) => ['-e', at(name)]);
  await run(uv[0], [...install, '--no-deps', '--no-build-isolation', ...ours], env);
}

function findPython() {
  const probe = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])';
  const problems = [];
  const versions = ['3.14', '3.13', '3.12', '3.11'].map((version) => `python${version}`);
  for (const command of ['python3', 'python', ...versions]) {
    const { error, status, stdout } = spawnSync(command, ['-c', probe], { encoding: 'utf8' });
    if (error) continue;
    if (status === 0 && isAtLeast(stdout.trim(), OLDEST_PYTHON)) return command;
    problems.push(
      status === 0
        ? `${command} is Python ${stdout.trim()}`
        : `${command} cannot create virtual environments (on Debian or Ubuntu: apt install python3-venv)`,
    );
  }
  const found = problems.length > 0 ? problems.join('; ') : 'none was found on the PATH';
  throw new SetupError(`Python ${OLDEST_PYTHON.join('.')} or newer is needed: ${found}.`);
}

function isAtLeast(version, [oldestMajor, oldestMinor]) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** The output is shown only if the installer fails. */
function run(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    };
    const child = spawn(command, args, options);
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => reject(new SetupError(`${command}: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0) return resolve();
      const text = Buffer.concat(output).toString().trim();
      const offline =
        /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|NewConnectionError|error sending request/;
      const advice = offline.test(text)
        ? ' The registry cannot be reached; check the network connection.'
        : '';
      reject(
        new SetupError(`${text}\n\n"${command} ${args.join(' ')}" failed (see above).${advice}`),
      );
    });
  });
}

async function installEach(parts, progress) {
  for (const part of parts) {
    const what = `the ${part.what} of ${path.relative(root, part.lock)}`;
    console.error(`setup: installing ${what} …`);
    rmSync(part.stamp, { force: true });
    await part.install(part);
    writeFileSync(part.stamp, fingerprint(part));
    progress.installed += 1;
    console.error(`setup: installed ${what}, ${describeProgress(progress)}`);
  }
}

function describeProgress({ installed, parts, started }) {
  return `${installed} of ${parts} parts after ${Math.round((Date.now() - started) / 1000)} s`;
}

/** Links ONNX Runtime, because npm commands that install packages in the clone remove the link. */
function linkOnnxRuntime() {
  const installed = at('models', 'onnx-runtime', 'node_modules', ONNX_RUNTIME);
  const link = at('node_modules', ONNX_RUNTIME);
  if (existsSync(installed) && existsSync(at('node_modules')) && !existsSync(link))
    symlinkSync(path.relative(path.dirname(link), installed), link);
}

/**
 * Runs an action while no other setup of this clone is running. The lock file contains its owner's process ID from the
 * start.
 */
async function whileLocked(action) {
  const lock = at('.local', 'setup.lock');
  const draft = `${lock}.${process.pid}`;
  mkdirSync(path.dirname(lock), { recursive: true });
  writeFileSync(draft, String(process.pid));
  try {
    while (!isLinked(draft, lock)) await new Promise((resolve) => setTimeout(resolve, 500));
    try {
      return await action();
    } finally {
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function isLinked(draft, lock) {
  try {
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : undefined;
    if (owner !== undefined && !isRunning(owner)) rmSync(lock, { force: true });
    return false;
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function setUp(folders) {
  if (!isAtLeast(process.versions.node, OLDEST_NODE)) {
    throw new SetupError(
      `Node ${OLDEST_NODE.join('.')} or newer is needed; this is Node ${process.versions.node}.`,
    );
  }
  const parts = (folders.length > 0 ? folders : SERVICE).map(partOf);
  linkOnnxRuntime();
  if (parts.every(isCurrent)) return;
  await whileLocked(async () => {
    const missing = parts.filter((part) => !isCurrent(part));
    // Node and Python packages are installed concurrently, because each installation mostly uses one core.
    const groups = [installNode, installPython].map((install) =>
      missing.filter((part) => part.install === install),
    );
    const progress = { installed: 0, parts: missing.length, started: Date.now() };
    const heartbeat = setInterval(
      () => console.error(`setup: still installing, ${describeProgress(progress)}`),
      HEARTBEAT_MS,
    );
    const outcomes = await Promise.allSettled(groups.map((group) => installEach(group, progress)));
    clearInterval(heartbeat);
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
    linkOnnxRuntime();
  });
  console.error('setup: ready');
}

try {
  await setUp(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof SetupError ? `setup: ${error.message}` : error);
  process.exitCode = 1;
}
