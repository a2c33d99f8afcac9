import type { BatchId } from '../identity.ts';

/** Whose secret it is: a ciphertext copied to another batch can't be decrypted there. */
export interface SecretOwner {
  readonly tenant: string;
  readonly batchId: BatchId;
}

/** Port that keeps webhook secrets unreadable at rest. */
export interface WebhookSecrets {
  /** @returns the ciphertext, base64 */
  encrypt(secret: string, owner: SecretOwner): Promise<string>;
  decrypt(ciphertext: string, owner: SecretOwner): Promise<string>;
}
