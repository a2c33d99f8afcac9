import { describe, expect, it } from 'vitest';
import { vcpus } from '../../../lambdas/adapters/processor.ts';

const withMemory = (mb: string) => vcpus({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: mb }, 6);

describe("the vCPUs of a function's memory", () => {
  it.each([
    ['512', 1],
    ['1769', 1],
    ['1770', 2],
    ['3538', 2],
    ['10240', 6],
  ])('of %s MB are %i', (mb, expected) => {
    expect(withMemory(mb)).toBe(expected);
  });

  it('are at most those of the machine', () => {
    expect(vcpus({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '10240' }, 2)).toBe(2);
  });

  it.each([undefined, 'much'])('are one if Lambda sets %s', (mb) => {
    expect(vcpus({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: mb }, 6)).toBe(1);
  });
});
