import type { BatchId } from '../identity.ts';

/** The owner of a secret: a ciphertext copied to another batch cannot be decrypted there. */
export interface SecretOwner {
  readonly tenant: string;
  readonly batchId: BatchId;
}

/** Port that encrypts webhook secrets at rest. */
export interface WebhookSecrets {
  /** @returns the ciphertext, base64 */
  encrypt(secret: string, owner: SecretOwner): Promise<string>;
  decrypt(ciphertext: string, owner: SecretOwner): Promise<string>;
}
