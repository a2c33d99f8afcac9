import type { Measured } from './measured-process.ts';

/** What this process has used since it began, as its last line. */
export function ownUse(startedAt: number): Measured {
  const { user, system } = process.cpuUsage();
  return {
    wall_s: (performance.now() - startedAt) / 1000,
    cpu_s: (user + system) / 1e6,
    peak_mib: process.resourceUsage().maxRSS / 1024,
  };
}
