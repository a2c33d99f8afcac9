import {
  CreateAccessKeyCommand,
  DeleteAccessKeyCommand,
  type IAMClient,
  ListAccessKeysCommand,
  NoSuchEntityException,
} from '@aws-sdk/client-iam';
import { timestamp } from '../../domain/clock.ts';
import type { KeyIssuer } from '../../domain/signing/signing-key.ts';

export function iamKeyIssuer(iam: IAMClient, UserName: string): KeyIssuer {
  return {
    async list() {
      try {
        const { AccessKeyMetadata } = await iam.send(new ListAccessKeysCommand({ UserName }));
        return (AccessKeyMetadata ?? []).flatMap(({ AccessKeyId }) => AccessKeyId ?? []);
      } catch (error) {
        // The user is missing only if somebody deleted it by hand.
        if (error instanceof NoSuchEntityException) return [];
        throw error;
      }
    },
    async create() {
      const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
      if (AccessKey?.AccessKeyId === undefined || AccessKey.SecretAccessKey === undefined) {
        throw new Error('IAM returned no access key');
      }
      return {
        keyId: AccessKey.AccessKeyId,
        secret: AccessKey.SecretAccessKey,
        createdAt: timestamp(new Date()),
      };
    },
    async remove(AccessKeyId) {
      try {
        await iam.send(new DeleteAccessKeyCommand({ UserName, AccessKeyId }));
      } catch (error) {
        if (!(error instanceof NoSuchEntityException)) throw error;
      }
    },
  };
}
