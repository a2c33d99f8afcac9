import { versionAt } from './issue-key.ts';
import type { SigningPorts } from './signing-key.ts';

/** Age of the key that signs results, in seconds; null while there is none. */
export async function currentKeyAge({
  vault,
  now,
}: Pick<SigningPorts, 'vault' | 'now'>): Promise<number | null> {
  const current = versionAt(await vault.versions(), 'current');
  const key = current === null ? null : await vault.read(current.id);
  return key === null ? null : (Date.parse(now()) - Date.parse(key.createdAt)) / 1000;
}
