import { env } from '../adapters/environment.ts';
import { currentKeyAge } from '../domain/signing/issue-signing-key.ts';
import { removeReplacedKeys } from '../domain/signing/rotate-key.ts';
import { log } from '../observability/log.ts';
import { measure } from '../observability/metrics.ts';
import { keyRemovalPorts } from './signing-ports.ts';

const ports = keyRemovalPorts(env);

/** Runs hourly: deletes signing keys that no valid URL needs any more, and measures the age of the current key. */
export async function handler(): Promise<void> {
  const startedAt = performance.now();
  await removeReplacedKeys(ports);
  const age = await currentKeyAge(ports);
  if (age !== null) measure('SigningKeyAge', age);
  log('info', 'signing-keys-kept', {
    key_age_seconds: age,
    outcome: 'ok',
    duration_ms: Math.round(performance.now() - startedAt),
  });
}
