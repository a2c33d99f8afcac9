import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  type GetSecretValueCommandInput,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import type { Timestamp } from '../../domain/clock.ts';
import type { KeyVault, KeyVersion, SigningKey } from '../../domain/signing/signing-key.ts';

const LABELS = { current: 'AWSCURRENT', pending: 'AWSPENDING', previous: 'AWSPREVIOUS' } as const;
type Stage = keyof typeof LABELS;

/**
 * A staging label stores the time when a version was replaced: Secrets Manager keeps labelled versions, and does not
 * otherwise report when `AWSCURRENT` moved.
 */
const REPLACED = 'REPLACED_AT_';

export function secretKeyVault(client: SecretsManagerClient, secretArn: string): KeyVault {
  const SecretId = secretArn;
  return {
    versions() {
      return keyVersions(client, secretArn);
    },
    read(versionId) {
      return readVersion(client, { SecretId, VersionId: versionId });
    },
    async put(versionId, stage, key) {
      await client.send(
        new PutSecretValueCommand({
          SecretId,
          ClientRequestToken: versionId,
          SecretString: formatKey(key),
          VersionStages: [LABELS[stage]],
        }),
      );
    },
    async clear() {
      const empty = new PutSecretValueCommand({ SecretId, SecretString: '{}' });
      await client.send(empty).catch((error: unknown) => {
        // A deleted secret holds no key either.
        if (!(error instanceof ResourceNotFoundException)) throw error;
      });
    },
    async makeCurrent(versionId, formerId) {
      await client.send(
        new UpdateSecretVersionStageCommand({
          SecretId,
          VersionStage: LABELS.current,
          MoveToVersionId: versionId,
          ...(formerId === null ? {} : { RemoveFromVersionId: formerId }),
        }),
      );
    },
    async noteReplaced(versionId, at) {
      await client.send(
        new UpdateSecretVersionStageCommand({
          SecretId,
          VersionStage: REPLACED + at,
          MoveToVersionId: versionId,
        }),
      );
    },
    async dropPending(versionId) {
      await client.send(
        new UpdateSecretVersionStageCommand({
          SecretId,
          VersionStage: LABELS.pending,
          RemoveFromVersionId: versionId,
        }),
      );
    },
    async forgetReplaced(versionId, at) {
      await client.send(
        new UpdateSecretVersionStageCommand({
          SecretId,
          VersionStage: REPLACED + at,
          RemoveFromVersionId: versionId,
        }),
      );
    },
  };
}

/** `DescribeSecret` lists only labelled versions. */
async function keyVersions(
  client: SecretsManagerClient,
  secretArn: string,
): Promise<readonly KeyVersion[]> {
  const { VersionIdsToStages } = await client.send(
    new DescribeSecretCommand({ SecretId: secretArn }),
  );
  return Object.entries(VersionIdsToStages ?? {}).map(([id, labels]) => toKeyVersion(id, labels));
}

/** Returns null if no version has the stage or the version holds no key. */
export function readKeyAt(
  client: SecretsManagerClient,
  secretArn: string,
  stage: Stage,
): Promise<SigningKey | null> {
  return readVersion(client, { SecretId: secretArn, VersionStage: LABELS[stage] });
}

async function readVersion(
  client: SecretsManagerClient,
  version: GetSecretValueCommandInput,
): Promise<SigningKey | null> {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand(version));
    return parseKey(SecretString);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    throw error;
  }
}

function toKeyVersion(id: string, labels: readonly string[]): KeyVersion {
  const stages = (Object.keys(LABELS) as Stage[]).filter((stage) => labels.includes(LABELS[stage]));
  return { id, stages: new Set(stages), replacedAt: replacedAt(labels) };
}

function replacedAt(labels: readonly string[]): Timestamp | null {
  return labels.find((label) => label.startsWith(REPLACED))?.slice(REPLACED.length) ?? null;
}

const nonEmpty = z.string().check(z.minLength(1));
const storedKey = z.object({
  access_key_id: nonEmpty,
  secret_access_key: nonEmpty,
  created_at: z.iso.datetime(),
});

export function formatKey({ keyId, secret, createdAt }: SigningKey): string {
  const stored: z.infer<typeof storedKey> = {
    access_key_id: keyId,
    secret_access_key: secret,
    created_at: createdAt,
  };
  return JSON.stringify(stored);
}

/** Returns null for any other text, such as the value that `clear` writes. */
function parseKey(text: string | undefined): SigningKey | null {
  const { data } = storedKey.safeParse(parseJsonOrNull(text));
  if (data === undefined) return null;
  const { access_key_id: keyId, secret_access_key: secret, created_at: createdAt } = data;
  return { keyId, secret, createdAt };
}

function parseJsonOrNull(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
