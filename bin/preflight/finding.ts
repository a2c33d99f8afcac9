/** The result of one check of the account; `npm run preflight -- --json` prints it. */
export interface Finding {
  readonly about: string;
  /**
   * `raise`: deploys, but runs badly until a quota is raised; `replaces`: deploys, but replaces a setting
   * of the account that others use; `wrong`: does not deploy, or its alarms notify nobody; `unseen`: not
   * checked.
   */
  readonly verdict: 'fine' | 'raise' | 'replaces' | 'wrong' | 'unseen';
  readonly says: string;
}

export type Verdict = Omit<Finding, 'about'>;
