import { availableParallelism } from 'node:os';

/** Lambda: one vCPU for every 1,769 MB of memory. */
const MB_PER_VCPU = 1_769;

/**
 * vCPUs that a function's memory buys, a part of one counted whole; 1 outside of Lambda.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 *
 * @param variables of the environment; Lambda sets AWS_LAMBDA_FUNCTION_MEMORY_SIZE
 */
export function vcpus(
  variables: Readonly<Record<string, string | undefined>>,
  processors = availableParallelism(),
): number {
  const memoryMb = Number(variables['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? MB_PER_VCPU);
  const bought = Math.ceil(memoryMb / MB_PER_VCPU);
  return Number.isFinite(bought) ? Math.max(1, Math.min(bought, processors)) : 1;
}
