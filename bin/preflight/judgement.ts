/** What one look at the account came to. */
export interface Judgement {
  readonly about: string;
  /**
   * `raise`: deploys, but runs badly until a quota is raised; `wrong`: does not deploy, or its alarms
   * notify nobody.
   */
  readonly verdict: 'fine' | 'raise' | 'wrong' | 'unseen';
  readonly says: string;
}

export type Verdict = Omit<Judgement, 'about'>;
