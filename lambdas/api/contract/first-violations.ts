import type { Violation } from '../../domain/admission/admit.ts';

/** As many as an error response lists; nothing looks for more. */
export const MAX_VIOLATIONS = 100;

/** The first violation of each pointer, one more than are listed at most; the rest is not looked for. */
export function firstViolations(violations: Iterable<Violation>): readonly Violation[] {
  const byPointer = new Map<string, Violation>();
  for (const violation of violations) {
    if (!byPointer.has(violation.pointer)) byPointer.set(violation.pointer, violation);
    if (byPointer.size > MAX_VIOLATIONS) break;
  }
  return [...byPointer.values()];
}
