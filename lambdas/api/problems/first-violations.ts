import type { Violation } from '../../domain/batch/new-batch.ts';

/** The most violations that one error response lists. */
export const MAX_VIOLATIONS = 100;

/** The first violation of each pointer. Stops at one more than a response lists. */
export function firstViolations(violations: Iterable<Violation>): readonly Violation[] {
  const byPointer = new Map<string, Violation>();
  for (const violation of violations) {
    if (!byPointer.has(violation.pointer)) byPointer.set(violation.pointer, violation);
    if (byPointer.size > MAX_VIOLATIONS) break;
  }
  return [...byPointer.values()];
}
