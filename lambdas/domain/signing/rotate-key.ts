import { addSeconds, type Timestamp } from '../clock.ts';
import {
  ACCEPTED_FOR_A_MINUTE,
  issueKey,
  versionAt,
  waitUntilAccepted,
} from './issue-signing-key.ts';
import {
  KeyNotAccepted,
  type KeyVersion,
  REPLACED_KEY_KEPT_SECONDS,
  type SigningKey,
  type SigningPorts,
} from './signing-key.ts';

export const ROTATION_STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;
export type RotationStep = (typeof ROTATION_STEPS)[number];

/**
 * Runs one step of a rotation (AWS Secrets Manager User Guide, "Rotation by Lambda function"). Every step is safe to
 * repeat.
 * @param token the rotation's token, which is the ID of the new version
 * @throws TwoKeysNeeded, KeyNotAccepted
 */
export async function rotateKey(
  ports: SigningPorts,
  step: RotationStep,
  token: string,
): Promise<void> {
  switch (step) {
    case 'createSecret':
      return createSecret(ports, token);
    case 'setSecret':
      return; // Nothing to set: IAM itself created the key.
    case 'testSecret':
      return testSecret(ports, token);
    case 'finishSecret':
      return finishSecret(ports, token);
  }
}

async function createSecret(ports: SigningPorts, token: string): Promise<void> {
  if ((await ports.vault.read(token)) !== null) return;
  await removeReplacedKeys(ports);
  await issueKey(ports, token, 'pending');
}

/**
 * Tests the pending key. When the schedule is created, Secrets Manager tests the rotation with this step alone, on a
 * temporary version that may be empty.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_RotateSecret.html
 */
async function testSecret(ports: SigningPorts, token: string): Promise<void> {
  const key = await ports.vault.read(token);
  if (key !== null) await waitUntilAccepted(ports, key, ACCEPTED_FOR_A_MINUTE);
}

async function finishSecret(ports: SigningPorts, token: string): Promise<void> {
  const { keyId } = await readSigningKey(ports, token);
  const current = versionAt(await ports.vault.versions(), 'current');
  if (current?.id !== token) {
    // Read this after `current`: if keys are revoked in between, Secrets Manager refuses to move the label.
    if (!(await ports.issuer.list()).includes(keyId)) {
      throw new KeyNotAccepted(`the key of version ${token} was deleted before it became current`);
    }
    await ports.vault.makeCurrent(token, current?.id ?? null);
  }
  await noteReplacement(ports);
}

async function readSigningKey(ports: SigningPorts, versionId: string): Promise<SigningKey> {
  const key = await ports.vault.read(versionId);
  if (key === null) throw new Error(`version ${versionId} of the secret holds no key`);
  return key;
}

type Ports = Pick<SigningPorts, 'vault' | 'issuer' | 'now'>;

/**
 * Records now as the time when the previous key was replaced, unless a time is already recorded. A late record, after a
 * process died, only keeps the key longer.
 */
async function noteReplacement({ vault, issuer, now }: Ports): Promise<void> {
  const previous = versionAt(await vault.versions(), 'previous');
  if (previous === null || previous.replacedAt !== null) return;
  const key = await vault.read(previous.id);
  if (key === null || !(await issuer.list()).includes(key.keyId)) return;
  await vault.noteReplaced(previous.id, now());
}

export async function removeReplacedKeys(ports: Ports): Promise<void> {
  const { vault, issuer, now } = ports;
  await noteReplacement(ports);
  for (const version of await vault.versions()) {
    const { id, replacedAt } = version;
    const until = neededUntil(version);
    if (replacedAt === null || until === null || until > now()) continue;
    const key = await vault.read(id);
    if (key !== null) await issuer.remove(key.keyId);
    await vault.forgetReplaced(id, replacedAt);
  }
}

/**
 * Returns when a version's replaced key may be deleted; null if the key was not replaced. Until then no rotation
 * succeeds, because IAM allows only two keys.
 */
function neededUntil({ replacedAt, stages }: KeyVersion): Timestamp | null {
  if (replacedAt === null || stages.has('current')) return null;
  return addSeconds(replacedAt, REPLACED_KEY_KEPT_SECONDS);
}
