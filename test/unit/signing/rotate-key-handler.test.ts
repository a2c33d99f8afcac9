import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => vi.unstubAllEnvs());

it('a rotation of another secret of the account does not rotate the signing key', async () => {
  const secret = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:Signing-AbCdEf';
  vi.stubEnv('SIGNING_SECRET_ARN', secret);
  vi.stubEnv('SIGNING_USER_NAME', 'signer');
  vi.stubEnv('RESULTS_BUCKET', 'results');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  const { handler } = await import('../../../lambdas/signing-key/rotate-key.ts');
  // This step does nothing, because IAM created the key itself.
  const event = { Step: 'setSecret', ClientRequestToken: 'x'.repeat(36) };
  await handler({ ...event, SecretId: secret });
  await expect(handler({ ...event, SecretId: `${secret}7` })).rejects.toThrow('SecretId');
  await expect(handler(event)).rejects.toThrow('SecretId');
});
