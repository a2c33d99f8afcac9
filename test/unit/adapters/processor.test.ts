import { describe, expect, it } from 'vitest';
import { vcpus } from '../../../lambdas/adapters/processor.ts';

const setMemory = (mb: string) => vcpus({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: mb }, 6);

describe("the number of a function's vCPUs", () => {
  it.each([
    ['512', 1],
    ['1769', 1],
    ['1770', 2],
    ['3538', 2],
    ['10240', 6],
  ])('follows from its memory: %s MB give %i', (mb, expected) => {
    expect(setMemory(mb)).toBe(expected);
  });

  it("is at most the machine's number of processors", () => {
    expect(vcpus({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '10240' }, 2)).toBe(2);
  });

  it.each([undefined, 'much'])('is 1 if the variable with the memory size is %s', (mb) => {
    expect(vcpus({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: mb }, 6)).toBe(1);
  });
});
