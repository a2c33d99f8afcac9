import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Kills every process that runs a function, as a failing host does.
 * @returns their number
 */
export async function killFunctions(emulatorProcessId: number): Promise<number> {
  const found = await promisify(execFile)('pgrep', ['-P', String(emulatorProcessId), 'node']).catch(
    // pgrep exits with 1 when there are none.
    () => ({ stdout: '' }),
  );
  const ids = found.stdout.split('\n').filter(Boolean).map(Number);
  return ids.filter(kill).length;
}

function kill(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
