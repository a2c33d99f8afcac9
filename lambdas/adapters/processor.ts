import { availableParallelism } from 'node:os';
import type { CpuClock } from '../domain/clock.ts';

/** Counts the CPU time of all threads of the process, which handles one request at a time. */
export const processCpu: CpuClock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Lambda provides one vCPU per 1,769 MB of memory. */
const MB_PER_VCPU = 1_769;

/**
 * Returns the vCPUs for the function's memory, rounded up, but at most the machine's processors; 1 outside Lambda.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 * @param variables environment variables; Lambda sets AWS_LAMBDA_FUNCTION_MEMORY_SIZE
 */
export function vcpus(
  variables: Readonly<Record<string, string | undefined>>,
  processors = availableParallelism(),
): number {
  const memoryMb = Number(variables['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? MB_PER_VCPU);
  const vcpuCount = Math.ceil(memoryMb / MB_PER_VCPU);
  return Number.isFinite(vcpuCount) ? Math.max(1, Math.min(vcpuCount, processors)) : 1;
}
