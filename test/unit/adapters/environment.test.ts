import { afterEach, describe, expect, it, vi } from 'vitest';
import { environment } from '../../../lambdas/adapters/environment.ts';
import { executionArn } from '../../../lambdas/adapters/step-functions/batch-runner.ts';

afterEach(() => vi.unstubAllEnvs());

describe("a function's environment", () => {
  it('holds what was asked for, parsed, and nothing else', () => {
    vi.stubEnv('RETENTION_DAYS', '30');
    vi.stubEnv('MODEL_PACKS', 'meuse-soc,other');
    vi.stubEnv('WEBHOOK_SCHEMES', 'https,http');
    vi.stubEnv('TABLE_NAME', 'not asked for');
    expect(environment('RETENTION_DAYS', 'MODEL_PACKS', 'WEBHOOK_SCHEMES')).toEqual({
      RETENTION_DAYS: 30,
      MODEL_PACKS: ['meuse-soc', 'other'],
      WEBHOOK_SCHEMES: ['https', 'http'],
    });
  });

  it.each([
    { name: 'TABLE_NAME', value: undefined },
    { name: 'RETENTION_DAYS', value: 'soon' },
    { name: 'STATE_MACHINE_ARN', value: 'batches' },
    { name: 'WEBHOOK_SCHEMES', value: 'ftp' },
  ] as const)('is refused by the name of what is wrong: $name', ({ name, value }) => {
    vi.stubEnv(name, value);
    expect(() => environment(name)).toThrow(new RegExp(`^${name}: `));
  });
});

describe('the execution of a batch', () => {
  it.each(['', ':7'])('is named by its state machine and batch (version "%s")', (version) => {
    const machine = `arn:aws:states:eu-central-1:123456789012:stateMachine:Batches${version}`;
    expect(executionArn(machine, 'id')).toBe(
      'arn:aws:states:eu-central-1:123456789012:execution:Batches:id',
    );
  });
});
