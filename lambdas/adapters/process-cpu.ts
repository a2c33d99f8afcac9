import type { CpuClock } from '../domain/clock.ts';

/** All threads of this process. A function handles one request at a time, so this is the request's. */
export const processCpu: CpuClock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
