/** What looking at one thing of a deployed stage came to. */
export interface Finding {
  readonly check: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** What was seen, what is wrong, or why nobody looked. */
  readonly seen: string;
  readonly seconds: number;
}

/** One thing to look at. */
export interface Check {
  readonly name: string;
  /**
   * @returns what was seen
   * @throws Error that says what is wrong
   * @throws Skipped
   */
  readonly look: () => Promise<string>;
}

/** The thing can not be looked at here; the message says why. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Looks at one thing after the other: a check that fails keeps no other from being made. */
export async function lookAt(
  checks: readonly Check[],
  onFinding: (finding: Finding) => void = () => {},
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, look } of checks) {
    const started = Date.now();
    const { verdict, seen } = await outcomeOf(look);
    const seconds = (Date.now() - started) / 1_000;
    const finding = { check: name, verdict, seen, seconds };
    findings.push(finding);
    onFinding(finding);
  }
  return findings;
}

async function outcomeOf(look: Check['look']): Promise<Pick<Finding, 'verdict' | 'seen'>> {
  try {
    return { verdict: 'passed', seen: await look() };
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    return { verdict: error instanceof Skipped ? 'skipped' : 'failed', seen };
  }
}

/** @throws Error with the text, when it does not hold */
export function require(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/**
 * Asks until the answer is as wanted.
 * @throws Error when it is not within the time; the message ends with the last answer
 */
export async function waitFor<Answer>(
  what: string,
  seconds: number,
  ask: () => Promise<Answer>,
  wanted: (answer: Answer) => boolean,
): Promise<Answer> {
  const deadline = Date.now() + seconds * 1_000;
  // Often at first, for what is quick; then as polite as the service asks its clients to be.
  for (let pause = 250; ; pause = Math.min(pause * 1.3, 5_000)) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (Date.now() + pause > deadline) {
      const last = JSON.stringify(answer).slice(0, 300);
      throw new Error(`${what}: not within ${seconds} s; last seen: ${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
