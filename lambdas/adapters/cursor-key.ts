import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { memoize } from './memoized.ts';

/** Read once per container, because the key is never rotated. */
export function cursorKeyReader(client: SecretsManagerClient, secretArn: string) {
  return memoize(() => readCursorKey(client, secretArn));
}

async function readCursorKey(client: SecretsManagerClient, secretArn: string): Promise<Uint8Array> {
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
  if (SecretString === undefined || SecretString === '') {
    throw new Error('the cursor secret is empty');
  }
  return new TextEncoder().encode(SecretString);
}
