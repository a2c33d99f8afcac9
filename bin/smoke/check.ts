/** The result of one check of a deployed stage; `npm run smoke -- --json` prints it. */
export interface CheckResult {
  readonly check: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** What the check found, what is wrong, or why it was skipped. */
  readonly seen: string;
  readonly seconds: number;
}

export interface Check {
  readonly name: string;
  /**
   * @returns what the check found
   * @throws Error with what is wrong
   * @throws Skipped
   */
  readonly run: () => Promise<string>;
}

/** The check cannot run here; the message says why. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Runs checks one after the other. It continues after a check that fails. */
export async function runChecks(
  checks: readonly Check[],
  onResult: (result: CheckResult) => void = () => {},
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, run } of checks) {
    const started = Date.now();
    const { verdict, seen } = await outcomeOf(run);
    const seconds = (Date.now() - started) / 1_000;
    const result = { check: name, verdict, seen, seconds };
    results.push(result);
    onResult(result);
  }
  return results;
}

async function outcomeOf(run: Check['run']): Promise<Pick<CheckResult, 'verdict' | 'seen'>> {
  try {
    return { verdict: 'passed', seen: await run() };
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    return { verdict: error instanceof Skipped ? 'skipped' : 'failed', seen };
  }
}

/** @throws Error with the message if the condition is false */
export function require(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/**
 * Polls until the value fulfils a condition.
 * @throws Error after the timeout; the message ends with the last value
 */
export async function waitFor<Value>(
  what: string,
  seconds: number,
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
): Promise<Value> {
  const deadline = Date.now() + seconds * 1_000;
  // Short pauses at first; then the polling interval that the service asks of its clients.
  for (let pause = 250; ; pause = Math.min(pause * 1.3, 5_000)) {
    const value = await read();
    if (isDone(value)) return value;
    if (Date.now() + pause > deadline) {
      const last = JSON.stringify(value).slice(0, 300);
      throw new Error(`${what}: not within ${seconds} s; last seen: ${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

const MARKS = { passed: 'ok', failed: 'FAILED', skipped: '-' } as const;

/** One line per check; the last column may be long. */
export function lineOf({ check, verdict, seen, seconds }: CheckResult): string {
  return `${MARKS[verdict].padEnd(7)} ${check.padEnd(34)} ${seconds.toFixed(1).padStart(6)} s  ${seen}`;
}

export function tallyOf(results: readonly CheckResult[]): string {
  const count = (verdict: CheckResult['verdict']) =>
    results.filter((result) => result.verdict === verdict).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
}
