import { FOR_A_MOMENT, untilAccepted } from './acceptance.ts';
import { issueKey, versionAt } from './issue-key.ts';
import type { SigningPorts } from './signing-key.ts';

/**
 * Ensures that the secret holds a working key. A working key is kept, so a repeated deployment changes
 * nothing; a deleted one is replaced.
 * @param versionId of the new version, if one is needed
 * @throws KeyNotAccepted
 */
export async function ensureFirstKey(ports: SigningPorts, versionId: string): Promise<void> {
  const current = versionAt(await ports.vault.versions(), 'current');
  const held = current === null ? null : await ports.vault.read(current.id);
  const alive = held !== null && (await ports.issuer.list()).includes(held.accessKeyId);
  // Otherwise the dead key would become the previous one, which readers prefer to a new one.
  if (held !== null && !alive) await ports.vault.clear();
  const key = alive ? held : await issueKey(ports, versionId, 'current');
  await untilAccepted(ports, key, FOR_A_MOMENT);
}

/** Deletes the user's keys; otherwise the user cannot be deleted. */
export async function removeAllKeys({
  vault,
  issuer,
}: Pick<SigningPorts, 'vault' | 'issuer'>): Promise<void> {
  await vault.clear();
  for (const accessKeyId of await issuer.list()) await issuer.remove(accessKeyId);
}
