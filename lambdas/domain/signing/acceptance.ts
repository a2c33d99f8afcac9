import { KeyNotAccepted, type SigningKey, type SigningPorts } from './signing-key.ts';

export interface Acceptance {
  /** Times in a row that the key must be accepted. */
  readonly times: number;
  readonly secondsBetween: number;
  /** Looks in all, before giving up: the caller is called again. */
  readonly looks: number;
}

/** A minute of acceptance, within four: the function may run for five. */
export const FOR_A_MINUTE: Acceptance = { times: 13, secondsBetween: 5, looks: 48 };

/** Enough to end a deployment: nothing is signed before its first batch is done. */
export const FOR_A_MOMENT: Acceptance = { times: 3, secondsBetween: 1, looks: 240 };

/**
 * Waits until a key is accepted again and again: IAM is eventually consistent, and one host that
 * knows the key says nothing about the next. A refusal starts the count anew.
 * @throws KeyNotAccepted
 */
export async function untilAccepted(
  { probe, pause }: Pick<SigningPorts, 'probe' | 'pause'>,
  key: SigningKey,
  { times, secondsBetween, looks }: Acceptance,
): Promise<void> {
  let inARow = 0;
  let refusal = 'none';
  for (let look = 1; look <= looks; look++) {
    const { accepted, code } = await probe.ask(key);
    inARow = accepted ? inARow + 1 : 0;
    if (inARow >= times) return;
    if (!accepted) refusal = code;
    await pause(secondsBetween);
  }
  throw new KeyNotAccepted(
    `the signing key was not accepted ${times} times in a row within ${looks} looks; last refusal: ${refusal}`,
  );
}
