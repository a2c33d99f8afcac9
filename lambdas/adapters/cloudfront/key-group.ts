import { generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  type CloudFrontClient,
  CreatePublicKeyCommand,
  DeletePublicKeyCommand,
  GetKeyGroupCommand,
  GetPublicKeyCommand,
  type KeyGroupConfig,
  NoSuchPublicKey,
  NoSuchResource,
  paginateListPublicKeys,
  UpdateKeyGroupCommand,
} from '@aws-sdk/client-cloudfront';
import { timestamp } from '../../domain/clock.ts';
import type { KeyIssuer } from '../../domain/signing/signing-key.ts';

export interface SigningKeyGroup {
  readonly id: string;
  /** In the group while there is no other key, because CloudFront requires one. */
  readonly unusedKeyId: string;
}

/**
 * Public keys of a key group. Whatever a process that dies leaves outside the group is trusted by nothing;
 * the next change deletes it.
 */
export function keyGroupIssuer(
  client: CloudFrontClient,
  { id, unusedKeyId }: SigningKeyGroup,
): KeyIssuer {
  const namePrefix = `soil-batch-${id}-`;

  async function readGroup() {
    const { KeyGroup, ETag } = await client.send(new GetKeyGroupCommand({ Id: id }));
    const config = KeyGroup?.KeyGroupConfig;
    if (config?.Items === undefined) throw new Error('CloudFront returned no key group');
    return { config: { ...config, Items: config.Items }, etag: ETag };
  }

  /** @throws PreconditionFailed if another process changes the group meanwhile */
  async function trust(change: (keyIds: readonly string[]) => readonly string[]): Promise<void> {
    const { config, etag } = await readGroup();
    const keyIds = change(config.Items.filter((keyId) => keyId !== unusedKeyId));
    const KeyGroupConfig: KeyGroupConfig = {
      ...config,
      Items: keyIds.length === 0 ? [unusedKeyId] : [...keyIds],
    };
    await client.send(new UpdateKeyGroupCommand({ Id: id, IfMatch: etag, KeyGroupConfig }));
  }

  async function deleteUntrusted(): Promise<void> {
    const { config } = await readGroup();
    for await (const { PublicKeyList } of paginateListPublicKeys({ client }, {})) {
      for (const { Id, Name } of PublicKeyList?.Items ?? []) {
        if (Id === undefined || config.Items.includes(Id)) continue;
        if (Name?.startsWith(namePrefix)) await deletePublicKey(client, Id);
      }
    }
  }

  return {
    async list() {
      try {
        const { config } = await readGroup();
        return config.Items.filter((keyId) => keyId !== unusedKeyId);
      } catch (error) {
        // Only if the group was deleted by hand.
        if (error instanceof NoSuchResource) return [];
        throw error;
      }
    },
    async create() {
      await deleteUntrusted();
      const { publicKey, privateKey } = generateKeyPairSync('ec', {
        namedCurve: 'prime256v1',
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      const Name = namePrefix + randomUUID();
      const PublicKeyConfig = { CallerReference: Name, Name, EncodedKey: publicKey };
      const { PublicKey } = await client.send(new CreatePublicKeyCommand({ PublicKeyConfig }));
      const keyId = PublicKey?.Id;
      if (keyId === undefined) throw new Error('CloudFront returned no public key');
      await trust((keyIds) => [...keyIds, keyId]);
      return { keyId, secret: privateKey, createdAt: timestamp(new Date()) };
    },
    async remove(removed) {
      await trust((keyIds) => keyIds.filter((keyId) => keyId !== removed));
      await deleteUntrusted();
    },
  };
}

async function deletePublicKey(client: CloudFrontClient, Id: string): Promise<void> {
  try {
    const { ETag } = await client.send(new GetPublicKeyCommand({ Id }));
    await client.send(new DeletePublicKeyCommand({ Id, IfMatch: ETag }));
  } catch (error) {
    if (!(error instanceof NoSuchPublicKey)) throw error;
  }
}
