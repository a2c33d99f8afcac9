import { removeReplacedKeys } from '../domain/signing/replaced-keys.ts';
import { keptKeyPorts } from './signing-ports.ts';

const ports = keptKeyPorts();

/** Hourly: deletes signing keys that no valid URL needs any more. */
export async function handler(): Promise<void> {
  await removeReplacedKeys(ports);
}
