import { setTimeout as sleep } from 'node:timers/promises';
import { cloudFrontClient, iamClient, secretsManagerClient } from '../adapters/clients.ts';
import { keyGroupIssuer } from '../adapters/cloudfront/key-group.ts';
import type { Variables } from '../adapters/environment.ts';
import { iamKeyIssuer } from '../adapters/signing-key/access-keys.ts';
import { distributionProbe, s3KeyProbe } from '../adapters/signing-key/key-probe.ts';
import { secretKeyVault } from '../adapters/signing-key/key-vault.ts';
import { resultUrls } from '../adapters/signing-key/result-urls.ts';
import { timestamp } from '../domain/clock.ts';
import type { KeyIssuer, SigningPorts } from '../domain/signing/signing-key.ts';

type KeptKeyVariables = Pick<
  Variables,
  'SIGNING_SECRET_ARN' | 'SIGNING_USER_NAME' | 'SIGNING_KEY_GROUP_ID' | 'UNUSED_PUBLIC_KEY_ID'
>;
type KeptPorts = Pick<SigningPorts, 'vault' | 'issuer' | 'now'>;

/** Ports for deleting keys. */
export function keptKeyPorts(variables: KeptKeyVariables): KeptPorts {
  const kind = variables.SIGNING_USER_NAME === null ? 'key-pair' : 'access-key';
  return {
    vault: secretKeyVault(secretsManagerClient(), variables.SIGNING_SECRET_ARN, kind),
    issuer: issuerFor(variables),
    now: () => timestamp(new Date()),
  };
}

function issuerFor(variables: KeptKeyVariables): KeyIssuer {
  const user = variables.SIGNING_USER_NAME;
  if (user !== null) return iamKeyIssuer(iamClient(), user);
  const id = variables.SIGNING_KEY_GROUP_ID;
  const unusedKeyId = variables.UNUSED_PUBLIC_KEY_ID;
  if (id === null || unusedKeyId === null) throw new Error('neither a user nor a key group signs');
  return keyGroupIssuer(cloudFrontClient(), { id, unusedKeyId });
}

/** Ports for creating keys, including what verifies them. */
export function newKeyPorts(
  variables: KeptKeyVariables & Pick<Variables, 'RESULTS_BUCKET' | 'RESULTS_ORIGIN'>,
): SigningPorts {
  const bucket = variables.RESULTS_BUCKET;
  const origin = variables.RESULTS_ORIGIN;
  return {
    ...keptKeyPorts(variables),
    probe: origin === null ? s3KeyProbe(bucket) : distributionProbe(resultUrls(bucket, origin)),
    pause: (seconds) => sleep(seconds * 1000),
  };
}
