import { messageOf } from '../../engine/errors/message-of.ts';

/** The result of one check of the account, as `npm run preflight -- --json` prints it. */
export interface Finding {
  readonly about: string;
  /**
   * `raise`: the stage can be deployed, but cannot run fully or be repaired until a quota or the bootstrap is raised.
   * `replaces`: the deployment replaces an account setting that others use. `wrong`: the deployment would fail.
   * `unseen`: not checked.
   */
  readonly verdict: 'fine' | 'raise' | 'replaces' | 'wrong' | 'unseen';
  readonly says: string;
}

const MARKS = {
  fine: 'ok',
  raise: 'RAISE',
  replaces: 'REPLACES',
  wrong: 'WRONG',
  unseen: '?',
} as const;

export function formatFinding({ about, verdict, says }: Finding): string {
  return `${MARKS[verdict].padEnd(8)} ${about.padEnd(22)} ${says}`;
}

export type Verdict = Omit<Finding, 'about'>;

/** Runs a check. If it throws, the verdict is `unseen`, because the caller may lack the permission to read. */
export async function runCheck(
  about: string,
  check: () => Verdict | Promise<Verdict>,
): Promise<Finding> {
  try {
    return { about, ...(await check()) };
  } catch (error) {
    const says = messageOf(error);
    return { about, verdict: 'unseen', says };
  }
}
