import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Ends every process that runs a function, whatever it is doing, as a host that fails.
 * @returns how many there were
 */
export async function endFunctions(emulatorProcessId: number): Promise<number> {
  const found = await promisify(execFile)('pgrep', ['-P', String(emulatorProcessId), 'node']).catch(
    // It exits with 1 when there is none.
    () => ({ stdout: '' }),
  );
  const ids = found.stdout.split('\n').filter(Boolean).map(Number);
  return ids.filter(killed).length;
}

function killed(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
    return false;
  }
}
