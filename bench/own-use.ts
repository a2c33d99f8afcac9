import { readFileSync } from 'node:fs';
import type { Measured } from './measured-process.ts';

export function measureOwnUse(startedAt: number): Measured {
  const { user, system } = process.cpuUsage();
  return {
    wall_s: (performance.now() - startedAt) / 1000,
    cpu_s: (user + system) / 1e6,
    peak_mib: readPeakBytes() / 2 ** 20,
  };
}

/**
 * Returns the peak memory of this process. On Linux `maxRSS` starts with the memory that the parent held when it
 * started this process (`getrusage(2)`).
 */
export function readPeakBytes(): number {
  const kilobytes =
    process.platform === 'linux'
      ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
      : process.resourceUsage().maxRSS;
  return Number(kilobytes) * 1024;
}

export async function measureCpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export function computeMedian(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Returns the exponent of the growth from the first measurement to the last; 0 for a single measurement. */
export function computeExponent(
  measured: readonly (readonly [size: number, value: number])[],
): number {
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined || first === last) return 0;
  return Math.log(last[1] / first[1]) / Math.log(last[0] / first[0]);
}
