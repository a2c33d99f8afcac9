import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Kills every process that runs a function, like a failing host. @returns the number of killed processes */
export async function killFunctions(emulatorProcessId: number): Promise<number> {
  const found = await promisify(execFile)('pgrep', ['-P', String(emulatorProcessId), 'node']).catch(
    // pgrep exits with 1 if it finds no process.
    () => ({ stdout: '' }),
  );
  const ids = found.stdout.split('\n').filter(Boolean).map(Number);
  return ids.filter(kill).length;
}

function kill(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL');
  } catch {
    // The process has ended in the meantime.
    return false;
  }
}
