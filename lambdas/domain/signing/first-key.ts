import { FOR_A_MOMENT, untilAccepted } from './acceptance.ts';
import { issueKey, versionAt } from './issue-key.ts';
import type { SigningPorts } from './signing-key.ts';

/**
 * Leaves the secret with a key that works. A secret that holds one already keeps it, so a repeated
 * deployment changes nothing; one whose key was deleted gets another.
 * @param versionId for the new version, should one be needed
 * @throws KeyNotAccepted
 */
export async function ensureFirstKey(ports: SigningPorts, versionId: string): Promise<void> {
  const current = versionAt(await ports.vault.versions(), 'current');
  const held = current === null ? null : await ports.vault.read(current.id);
  const alive = held !== null && (await ports.issuer.list()).includes(held.accessKeyId);
  // Else the dead key would be the previous one, which readers prefer to a new one.
  if (held !== null && !alive) await ports.vault.clear();
  const key = alive ? held : await issueKey(ports, versionId, 'current');
  await untilAccepted(ports, key, FOR_A_MOMENT);
}

/** Deletes the user's keys, without which the user itself could not be deleted. */
export async function removeAllKeys({
  vault,
  issuer,
}: Pick<SigningPorts, 'vault' | 'issuer'>): Promise<void> {
  await vault.clear();
  for (const accessKeyId of await issuer.list()) await issuer.remove(accessKeyId);
}
