import {
  KEYS_PER_USER,
  type KeyVersion,
  type SigningKey,
  type SigningPorts,
  TwoKeysNeeded,
} from './signing-key.ts';

type Ports = Pick<SigningPorts, 'vault' | 'issuer'>;

/**
 * Creates a key and stores it under the version. First it deletes keys of no version: a process died
 * between creating and storing one, and its secret is lost.
 * @throws TwoKeysNeeded
 */
export async function issueKey(
  { vault, issuer }: Ports,
  versionId: string,
  stage: 'current' | 'pending',
): Promise<SigningKey> {
  await removeOrphans({ vault, issuer });
  const keys = await issuer.list();
  if (keys.length >= KEYS_PER_USER) {
    throw new TwoKeysNeeded(
      `the signing user's ${keys.length} keys are both needed: URLs signed with the replaced one are still valid`,
    );
  }
  const key = await issuer.create();
  await vault.put(versionId, stage, key);
  return key;
}

async function removeOrphans({ vault, issuer }: Ports): Promise<void> {
  const stored = await storedKeys(vault, await vault.versions());
  for (const accessKeyId of await issuer.list()) {
    if (!stored.has(accessKeyId)) await issuer.remove(accessKeyId);
  }
}

async function storedKeys(
  vault: SigningPorts['vault'],
  versions: readonly KeyVersion[],
): Promise<ReadonlySet<string>> {
  const keys = await Promise.all(versions.map(({ id }) => vault.read(id)));
  return new Set(keys.flatMap((key) => (key === null ? [] : [key.accessKeyId])));
}

export function versionAt(
  versions: readonly KeyVersion[],
  stage: 'current' | 'pending' | 'previous',
): KeyVersion | null {
  return versions.find(({ stages }) => stages.has(stage)) ?? null;
}
