import { addSeconds, type Timestamp } from '../clock.ts';
import { versionAt } from './issue-key.ts';
import { type KeyVersion, REPLACED_KEY_KEPT_SECONDS, type SigningPorts } from './signing-key.ts';

type Ports = Pick<SigningPorts, 'vault' | 'issuer' | 'now'>;

/**
 * Records now as the time when the previous key was replaced, unless recorded before. A late record,
 * after a process died, only keeps the key longer.
 */
export async function noteReplacement({ vault, issuer, now }: Ports): Promise<void> {
  const previous = versionAt(await vault.versions(), 'previous');
  if (previous === null || previous.replacedAt !== null) return;
  const key = await vault.read(previous.id);
  if (key === null || !(await issuer.list()).includes(key.accessKeyId)) return;
  await vault.noteReplaced(previous.id, now());
}

/** Deletes keys that were replaced so long ago that no URL signed with them is valid. */
export async function removeReplacedKeys(ports: Ports): Promise<void> {
  const { vault, issuer, now } = ports;
  await noteReplacement(ports);
  for (const version of await vault.versions()) {
    const { id, replacedAt } = version;
    const until = neededUntil(version);
    if (replacedAt === null || until === null || until > now()) continue;
    const key = await vault.read(id);
    if (key !== null) await issuer.remove(key.accessKeyId);
    await vault.forgetReplaced(id, replacedAt);
  }
}

/**
 * When the key of a version may be deleted because it was replaced; null if it was not. Until then no
 * rotation succeeds: IAM allows two keys.
 */
export function neededUntil({ replacedAt, stages }: KeyVersion): Timestamp | null {
  if (replacedAt === null || stages.has('current')) return null;
  return addSeconds(replacedAt, REPLACED_KEY_KEPT_SECONDS);
}
