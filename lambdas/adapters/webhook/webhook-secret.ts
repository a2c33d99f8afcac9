import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { SecretOwner, WebhookSecrets } from '../../domain/delivery/signature.ts';

/** `Encrypt` takes 4,096 bytes, more than a secret has, so no data key is needed. */
export function kmsWebhookSecrets(kms: KMSClient, keyArn: string): WebhookSecrets {
  return {
    async encrypt(secret, owner) {
      const { CiphertextBlob } = await kms.send(
        new EncryptCommand({
          KeyId: keyArn,
          Plaintext: Buffer.from(secret, 'utf8'),
          EncryptionContext: contextOf(owner),
        }),
      );
      if (CiphertextBlob === undefined) throw new Error('KMS returned no ciphertext');
      return Buffer.from(CiphertextBlob).toString('base64');
    },
    async decrypt(ciphertext, owner) {
      const { Plaintext } = await kms.send(
        new DecryptCommand({
          KeyId: keyArn,
          CiphertextBlob: Buffer.from(ciphertext, 'base64'),
          EncryptionContext: contextOf(owner),
        }),
      );
      if (Plaintext === undefined) throw new Error('KMS returned no plaintext');
      return Buffer.from(Plaintext).toString('utf8');
    },
  };
}

function contextOf(owner: SecretOwner): Record<string, string> {
  return { tenant: owner.tenant, batch_id: owner.batchId };
}
