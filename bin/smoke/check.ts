import { messageOf } from '#engine/errors/message-of.ts';
/** The result of one check of a deployed stage, as `npm run smoke -- --json` prints it. */
export interface CheckResult {
  readonly check: string;
  readonly verdict: 'passed' | 'failed';
  readonly seen: string;
  readonly seconds: number;
}

export interface Check {
  readonly name: string;
  /** @returns what the check found @throws Error that says what is wrong */
  readonly run: () => Promise<string>;
}

/** Continues after a check that fails. */
export async function runChecks(
  checks: readonly Check[],
  onResult: (result: CheckResult) => void = () => {},
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, run } of checks) {
    const started = Date.now();
    const outcome = await run().then(
      (seen) => ({ verdict: 'passed', seen }) as const,
      (error: unknown) => ({ verdict: 'failed', seen: messageOf(error) }) as const,
    );
    const result = { check: name, ...outcome, seconds: (Date.now() - started) / 1_000 };
    results.push(result);
    onResult(result);
  }
  return results;
}

/** @throws Error with the message if the condition is false */
export function require(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

export function formatResult({ check, verdict, seen, seconds }: CheckResult): string {
  const mark = verdict === 'passed' ? 'ok' : 'FAILED';
  return `${mark.padEnd(7)} ${check.padEnd(20)} ${seconds.toFixed(1).padStart(6)} s  ${seen}`;
}
