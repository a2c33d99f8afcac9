import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.mjs';

const LOCK_POLL_MS = 500;

const lockFile = path.join(root, '.local', 'setup.lock');

/** Does this while no other setup of this clone runs. */
export async function whileLocked(action) {
  await lock();
  try {
    return await action();
  } finally {
    rmSync(lockFile, { force: true });
  }
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
