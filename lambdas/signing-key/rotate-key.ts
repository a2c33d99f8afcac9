import * as z from 'zod/mini';
import { env } from '../adapters/environment.ts';
import { revokeKeys } from '../domain/signing/issue-signing-key.ts';
import { ROTATION_STEPS, rotateKey } from '../domain/signing/rotate-key.ts';
import { log } from '../observability/log.ts';
import { keyCreationPorts } from './signing-ports.ts';

const version = z.string().check(z.minLength(32), z.maxLength(64));

/**
 * The event that Secrets Manager sends for each step, or that `npm run signing-key` sends for a leaked key. Secrets
 * Manager's permission to call the function covers all secrets of the account, so the secret is checked.
 */
const rotation = z.union([
  z.object({
    Step: z.enum(ROTATION_STEPS),
    SecretId: z.literal(env.SIGNING_SECRET_ARN),
    ClientRequestToken: version,
  }),
  z.object({ Step: z.literal('revoke'), ClientRequestToken: version }),
]);

const ports = keyCreationPorts(env);

export async function handler(event: unknown): Promise<void> {
  const { Step, ClientRequestToken } = rotation.parse(event);
  const startedAt = performance.now();
  if (Step === 'revoke') await revokeKeys(ports, ClientRequestToken);
  else await rotateKey(ports, Step, ClientRequestToken);
  const duration = Math.round(performance.now() - startedAt);
  log('info', 'signing-key-rotation', { step: Step, outcome: 'ok', duration_ms: duration });
}
