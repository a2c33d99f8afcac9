import { FOR_A_MINUTE, issueKey, untilAccepted, versionAt } from './issue-key.ts';
import { noteReplacement, removeReplacedKeys } from './replaced-keys.ts';
import type { SigningKey, SigningPorts } from './signing-key.ts';

export const ROTATION_STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;
export type RotationStep = (typeof ROTATION_STEPS)[number];

/**
 * One step of a rotation (AWS Secrets Manager User Guide, "Rotation by Lambda function"). Every step is
 * safe to repeat.
 * @param token of the rotation: the id of the new version
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
      return; // IAM created the key itself.
    case 'testSecret':
      return untilAccepted(ports, await keyOf(ports, token), FOR_A_MINUTE);
    case 'finishSecret':
      return finishSecret(ports, token);
  }
}

async function createSecret(ports: SigningPorts, token: string): Promise<void> {
  if ((await ports.vault.read(token)) !== null) return;
  await removeReplacedKeys(ports);
  await issueKey(ports, token, 'pending');
}

async function finishSecret(ports: SigningPorts, token: string): Promise<void> {
  await keyOf(ports, token);
  const current = versionAt(await ports.vault.versions(), 'current');
  if (current?.id !== token) await ports.vault.makeCurrent(token, current?.id ?? null);
  await noteReplacement(ports);
}

async function keyOf(ports: SigningPorts, versionId: string): Promise<SigningKey> {
  const key = await ports.vault.read(versionId);
  if (key === null) throw new Error(`version ${versionId} of the secret holds no key`);
  return key;
}
