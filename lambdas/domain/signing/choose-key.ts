import type { Timestamp } from '../clock.ts';
import type { SigningKey } from './signing-key.ts';

/** IAM usually propagates a key within seconds; readers wait longer. */
const SETTLING_SECONDS = 10 * 60;

/** Returns the previous key while the current one is new. */
export function chooseKey(
  current: SigningKey,
  previous: SigningKey | null,
  now: Timestamp,
): SigningKey {
  if (previous === null) return current;
  return isSettled(current, now) ? current : previous;
}

export function isSettled(key: SigningKey, now: Timestamp): boolean {
  return Date.parse(now) - Date.parse(key.createdAt) >= SETTLING_SECONDS * 1000;
}
