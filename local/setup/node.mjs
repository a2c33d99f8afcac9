import path from 'node:path';
import { root, run } from './run.mjs';

const nodeModules = path.join(root, 'node_modules');
const packageLock = path.join(root, 'package-lock.json');

/** The packages of the project itself. */
export function projectPackages() {
  return {
    workspace: '.',
    source: packageLock,
    stamp: path.join(nodeModules, '.installed-from'),
    proof: path.join(nodeModules, '.bin', 'tsx'),
  };
}

/** The packages of a workspace, one of which is the proof. */
export function workspacePackages(folder, stamp, proof) {
  return {
    workspace: folder,
    source: packageLock,
    stamp: path.join(nodeModules, stamp),
    proof: path.join(nodeModules, proof, 'package.json'),
  };
}

/** The packages of a folder with a lock of its own. */
export function packagesApart(folder, proof) {
  const installed = path.join(root, folder, 'node_modules');
  return {
    source: path.join(root, folder, 'package-lock.json'),
    stamp: path.join(installed, '.installed-from'),
    proof: path.join(installed, proof),
    install: () => npm('ci', '--prefix', folder),
  };
}

/** Installs parts of `node_modules` at once, because each call of npm reads and writes all of it. */
export function installWorkspaces(folders) {
  const others = folders.filter((folder) => folder !== '.').flatMap((folder) => ['-w', folder]);
  if (!folders.includes('.')) return npm('install', '--no-save', ...others);
  return npm(
    'ci',
    ...(others.length > 0 ? ['--include-workspace-root', ...others] : ['--workspaces=false']),
  );
}

function npm(command, ...args) {
  return run('npm', [
    command,
    '--include=dev',
    ...args,
    '--no-fund',
    '--no-audit',
    '--loglevel=error',
  ]);
}
