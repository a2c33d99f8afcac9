import { messageOf } from '../../engine/errors/message-of.ts';

/** The result of one check of the account; `npm run preflight -- --json` prints it. */
export interface Finding {
  readonly about: string;
  /**
   * `raise`: runs badly, or cannot be repaired, until a quota or the bootstrap is raised; `replaces`: deploys,
   * but replaces a setting of the account that others use; `wrong`: does not deploy; `unseen`: not checked.
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

/** A line of a report. */
export function formatFinding({ about, verdict, says }: Finding): string {
  return `${MARKS[verdict].padEnd(8)} ${about.padEnd(22)} ${says}`;
}

export type Verdict = Omit<Finding, 'about'>;

/** `unseen` if the check fails: the caller may lack the permission to read. */
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
