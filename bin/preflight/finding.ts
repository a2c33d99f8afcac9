import type { Attempt } from './attempt.ts';

/** The result of one check of the account; `npm run preflight -- --json` prints it. */
export interface Finding {
  readonly about: string;
  /**
   * `raise`: runs badly, or does not deploy, until a quota or the bootstrap is raised; `replaces`: deploys, but replaces a
   * setting of the account that others use; `wrong`: does not deploy, or its alarms notify nobody; `unseen`:
   * not checked.
   */
  readonly verdict: 'fine' | 'raise' | 'replaces' | 'wrong' | 'unseen';
  readonly says: string;
}

export type Verdict = Omit<Finding, 'about'>;

/** `unseen` if the value was not read. */
export function findingOf<Value>(
  about: string,
  result: Attempt<Value>,
  check: (value: Value) => Verdict,
): Finding {
  if (!result.ok) return { about, verdict: 'unseen', says: result.reason };
  return { about, ...check(result.value) };
}
