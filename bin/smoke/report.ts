import type { Finding } from './check.ts';

const MARKS = { passed: 'ok', failed: 'FAILED', skipped: '-' } as const;

/** One line per check; the last column may be long. */
export function lineOf({ check, verdict, seen, seconds }: Finding): string {
  return `${MARKS[verdict].padEnd(7)} ${check.padEnd(34)} ${seconds.toFixed(1).padStart(6)} s  ${seen}`;
}

export function summaryOf(findings: readonly Finding[]): string {
  const count = (verdict: Finding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict).length;
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
}
