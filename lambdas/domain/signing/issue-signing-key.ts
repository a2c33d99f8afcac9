import {
  KeyNotAccepted,
  type KeyVersion,
  MAX_KEYS,
  type SigningKey,
  type SigningPorts,
  TwoKeysNeeded,
} from './signing-key.ts';

/**
 * Ensures that the secret holds a working key. A working key is kept, so that a repeated deployment changes nothing; a
 * deleted key is replaced.
 * @param versionId the ID of the new version, if one is needed
 * @throws TwoKeysNeeded
 * @throws KeyNotAccepted
 */
export async function ensureFirstKey(ports: SigningPorts, versionId: string): Promise<void> {
  const current = versionAt(await ports.vault.versions(), 'current');
  const held = current === null ? null : await ports.vault.read(current.id);
  const alive = held !== null && (await ports.issuer.list()).includes(held.keyId);
  // Otherwise the dead key would become the previous one, which readers prefer while the current one is new.
  if (held !== null && !alive) await ports.vault.clear();
  const key = alive ? held : await issueKey(ports, versionId, 'current');
  await waitUntilAccepted(ports, key, ACCEPTED_FOR_A_MOMENT);
}

/**
 * Creates a new deployment's first key, or leaves none: CloudFormation does not delete a resource whose creation
 * failed, and the rollback cannot delete an IAM user that has a key.
 */
export async function createFirstKey(ports: SigningPorts, versionId: string): Promise<void> {
  try {
    await ensureFirstKey(ports, versionId);
  } catch (error) {
    await removeAllKeys(ports);
    throw error;
  }
}

export async function removeAllKeys({
  vault,
  issuer,
}: Pick<SigningPorts, 'vault' | 'issuer'>): Promise<void> {
  await vault.clear();
  for (const keyId of await issuer.list()) await issuer.remove(keyId);
}

/**
 * Deletes every key immediately, including one that URLs still need after a rotation, and creates a new one, so that
 * all existing signed URLs stop working. If the process dies, repeating the call completes the work.
 * @param versionId the ID of the new version
 * @throws KeyNotAccepted
 */
export async function revokeKeys(ports: SigningPorts, versionId: string): Promise<void> {
  await removeAllKeys(ports);
  // A rotation in progress would keep testing its deleted key.
  const pending = versionAt(await ports.vault.versions(), 'pending');
  if (pending !== null) await ports.vault.dropPending(pending.id);
  await ensureFirstKey(ports, versionId);
}

type Ports = Pick<SigningPorts, 'vault' | 'issuer'>;

/**
 * Creates a key and stores it under the version. First it deletes keys that belong to no version, because their secrets
 * are lost.
 * @throws TwoKeysNeeded
 */
export async function issueKey(
  { vault, issuer }: Ports,
  versionId: string,
  stage: 'current' | 'pending',
): Promise<SigningKey> {
  await removeOrphans({ vault, issuer });
  const keys = await issuer.list();
  if (keys.length >= MAX_KEYS) {
    throw new TwoKeysNeeded(
      'both signing keys are still in use, for example because URLs signed with the replaced key are still valid; try again later',
    );
  }
  const key = await issuer.create();
  await vault.put(versionId, stage, key);
  return key;
}

async function removeOrphans({ vault, issuer }: Ports): Promise<void> {
  const stored = await readStoredKeyIds(vault, await vault.versions());
  for (const keyId of await issuer.list()) {
    if (!stored.has(keyId)) await issuer.remove(keyId);
  }
}

async function readStoredKeyIds(
  vault: SigningPorts['vault'],
  versions: readonly KeyVersion[],
): Promise<ReadonlySet<string>> {
  const keys = await Promise.all(versions.map(({ id }) => vault.read(id)));
  return new Set(keys.flatMap((key) => (key === null ? [] : [key.keyId])));
}

export function versionAt(
  versions: readonly KeyVersion[],
  stage: 'current' | 'pending' | 'previous',
): KeyVersion | null {
  return versions.find(({ stages }) => stages.has(stage)) ?? null;
}

interface Acceptance {
  readonly times: number;
  readonly secondsBetween: number;
  /** The total number of attempts before giving up. */
  readonly attempts: number;
}

/** In a rotation: a minute without a rejection, within four minutes; Secrets Manager retries a step that fails. */
export const ACCEPTED_FOR_A_MINUTE: Acceptance = { times: 13, secondsBetween: 5, attempts: 48 };

/** Three acceptances in a row suffice during a deployment and after a revocation, when no other key is valid. */
const ACCEPTED_FOR_A_MOMENT: Acceptance = { times: 3, secondsBetween: 1, attempts: 600 };

/**
 * IAM is eventually consistent, and one S3 host that knows the key says nothing about the next, so the key must be
 * accepted several times in a row.
 * @throws KeyNotAccepted
 */
export async function waitUntilAccepted(
  { probe, pause }: Pick<SigningPorts, 'probe' | 'pause'>,
  key: SigningKey,
  { times, secondsBetween, attempts }: Acceptance,
): Promise<void> {
  let inARow = 0;
  let rejection = 'none';
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { accepted, code } = await probe.check(key);
    inARow = accepted ? inARow + 1 : 0;
    if (inARow >= times) return;
    if (!accepted) rejection = code;
    await pause(secondsBetween);
  }
  throw new KeyNotAccepted(
    `in ${attempts} attempts, the signing key was never accepted ${times} times in a row; last rejection: ${rejection}`,
  );
}

/** Returns seconds; null while there is no key or after it was deleted. */
export async function currentKeyAge({
  vault,
  issuer,
  now,
}: Pick<SigningPorts, 'vault' | 'issuer' | 'now'>): Promise<number | null> {
  const current = versionAt(await vault.versions(), 'current');
  const key = current === null ? null : await vault.read(current.id);
  if (key === null || !(await issuer.list()).includes(key.keyId)) return null;
  return (Date.parse(now()) - Date.parse(key.createdAt)) / 1000;
}
