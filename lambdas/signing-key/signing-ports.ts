import { setTimeout as sleep } from 'node:timers/promises';
import { iamClient, secretsManagerClient } from '../adapters/clients.ts';
import type { Variables } from '../adapters/environment.ts';
import { iamKeyIssuer } from '../adapters/signing-key/access-keys.ts';
import { s3KeyProbe } from '../adapters/signing-key/key-probe.ts';
import { secretKeyVault } from '../adapters/signing-key/key-vault.ts';
import { timestamp } from '../domain/clock.ts';
import type { SigningPorts } from '../domain/signing/signing-key.ts';

type KeyRemovalVariables = Pick<Variables, 'SIGNING_SECRET_ARN' | 'SIGNING_USER_NAME'>;
type KeyRemovalPorts = Pick<SigningPorts, 'vault' | 'issuer' | 'now'>;

export function keyRemovalPorts(variables: KeyRemovalVariables): KeyRemovalPorts {
  return {
    vault: secretKeyVault(secretsManagerClient(), variables.SIGNING_SECRET_ARN),
    issuer: iamKeyIssuer(iamClient(), variables.SIGNING_USER_NAME),
    now: () => timestamp(new Date()),
  };
}

export function keyCreationPorts(
  variables: KeyRemovalVariables & Pick<Variables, 'RESULTS_BUCKET'>,
): SigningPorts {
  return {
    ...keyRemovalPorts(variables),
    probe: s3KeyProbe(variables.RESULTS_BUCKET),
    pause: (seconds) => sleep(seconds * 1000),
  };
}
