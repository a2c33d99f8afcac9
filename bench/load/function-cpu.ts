import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const TICKS_A_SECOND = 100;

/** CPU seconds that a process has used, by what runs in it: the name of its function, or `emulator`. */
export type CpuByName = ReadonlyMap<string, number>;

/** Of the emulator and the processes that it started; one runs one function. */
export function cpuByName(emulatorProcessId: number): CpuByName {
  const seconds = new Map<string, number>();
  for (const entry of readdirSync('/proc')) {
    const id = Number(entry);
    if (!Number.isInteger(id)) continue;
    const used = usedBy(id);
    if (used === null) continue;
    const name = id === emulatorProcessId ? 'emulator' : functionOf(id);
    if (name === null || (id !== emulatorProcessId && used.parent !== emulatorProcessId)) continue;
    seconds.set(name, (seconds.get(name) ?? 0) + used.seconds);
  }
  return seconds;
}

function usedBy(id: number): { readonly parent: number; readonly seconds: number } | null {
  const stat = textOf(`/proc/${id}/stat`);
  if (stat === null) return null;
  // The name of the command, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system] = [1, 11, 12].map((field) => Number(fields[field]));
  if (parent === undefined || user === undefined || system === undefined) return null;
  return { parent, seconds: (user + system) / TICKS_A_SECOND };
}

function functionOf(id: number): string | null {
  const environment = textOf(`/proc/${id}/environ`) ?? '';
  return /(?:^|\0)AWS_LAMBDA_FUNCTION_NAME=([^\0]+)/.exec(environment)?.[1] ?? null;
}

/** Null if the process has ended. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
