import { setTimeout as sleep } from 'node:timers/promises';
import { IAMClient } from '@aws-sdk/client-iam';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { environment } from '../adapters/environment.ts';
import { iamKeyIssuer } from '../adapters/iam/key-issuer.ts';
import { s3KeyProbe } from '../adapters/s3/key-probe.ts';
import { secretKeyVault } from '../adapters/secrets/key-vault.ts';
import { timestamp } from '../domain/clock.ts';
import type { SigningPorts } from '../domain/signing/signing-key.ts';

type KeptPorts = Pick<SigningPorts, 'vault' | 'issuer' | 'now'>;

/** What deleting keys needs. */
export function keptKeyPorts(): KeptPorts {
  const env = environment('SIGNING_SECRET_ARN', 'SIGNING_USER_NAME');
  return {
    vault: secretKeyVault(new SecretsManagerClient({ ...CLIENT_OPTIONS }), env.SIGNING_SECRET_ARN),
    issuer: iamKeyIssuer(new IAMClient({ ...CLIENT_OPTIONS }), env.SIGNING_USER_NAME),
    now: () => timestamp(new Date()),
  };
}

/** What making keys needs: also the bucket that will judge them. */
export function newKeyPorts(): SigningPorts {
  return {
    ...keptKeyPorts(),
    probe: s3KeyProbe(environment('RESULTS_BUCKET').RESULTS_BUCKET),
    pause: (seconds) => sleep(seconds * 1000),
  };
}
