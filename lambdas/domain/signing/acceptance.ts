import { KeyNotAccepted, type SigningKey, type SigningPorts } from './signing-key.ts';

export interface Acceptance {
  /** How often in a row the key must be accepted. */
  readonly times: number;
  readonly secondsBetween: number;
  /** Attempts in all before giving up; the caller is then retried. */
  readonly attempts: number;
}

/** A minute of acceptance within four: the function may run for five. */
export const FOR_A_MINUTE: Acceptance = { times: 13, secondsBetween: 5, attempts: 48 };

/** Enough for a deployment: nothing is signed before the first batch is done. */
export const FOR_A_MOMENT: Acceptance = { times: 3, secondsBetween: 1, attempts: 240 };

/**
 * Waits until a key is accepted several times in a row: IAM is eventually consistent, and one host that
 * knows the key says nothing about the next. A rejection resets the count.
 * @throws KeyNotAccepted
 */
export async function untilAccepted(
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
    `the signing key was not accepted ${times} times in a row within ${attempts} attempts; last rejection: ${rejection}`,
  );
}
