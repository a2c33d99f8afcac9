import { afterEach, describe, expect, it, vi } from 'vitest';
import { executionArn } from '../../../lambdas/adapters/batch-runner.ts';
import { env } from '../../../lambdas/adapters/environment.ts';

afterEach(() => vi.unstubAllEnvs());

describe("the parser of a function's environment", () => {
  it('returns the parsed variables', () => {
    const policy = {
      WEBHOOK_SCHEMES: 'https,http',
      WEBHOOK_PRIVATE_RECEIVERS: 'refuse',
      WEBHOOK_PORTS: 'web',
    };
    const variables = { ...policy, TABLE_NAME: 'state', SERVICE_VERSION: '1.0.0' };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    vi.stubEnv('RETENTION_DAYS', '30');
    expect(env.TABLE_NAME).toBe('state');
    expect(env.WEBHOOK_SCHEMES).toEqual(['https', 'http']);
    expect(env.WEBHOOK_PORTS).toBe('web');
    expect(env.RETENTION_DAYS).toBe(30);
  });

  it.each([
    { name: 'TABLE_NAME', value: undefined },
    { name: 'TABLE_NAME', value: '' },
    { name: 'SIGNING_SECRET_ARN', value: 'secret' },
  ] as const)('throws an error that names an invalid variable: $name', ({ name, value }) => {
    vi.stubEnv(name, value);
    expect(() => env[name]).toThrow(new RegExp(`^${name}: `));
  });
});

describe('the ARN of a batch’s execution', () => {
  it.each(['', ':7'])(
    'contains the batch ID, and omits the state machine’s version: "%s"',
    (version) => {
      const machine = `arn:aws:states:eu-central-1:123456789012:stateMachine:Batches${version}`;
      expect(executionArn(machine, 'id')).toBe(
        'arn:aws:states:eu-central-1:123456789012:execution:Batches:id',
      );
    },
  );
});
