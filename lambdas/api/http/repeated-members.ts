import type { Violation } from '../../domain/admission/admit.ts';
import type { MemberSpan } from '../../domain/json/json-spans.ts';
import { pointerOf } from '../contract/pointer.ts';

/** `JSON.parse` keeps the last of two members of one name; which one was meant nobody knows. */
export function repeated(members: readonly MemberSpan[]): readonly Violation[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of members) (seen.has(name) ? twice : seen).add(name);
  return [...twice].map((name) => ({
    pointer: pointerOf([name]),
    message: 'stands in the body more than once; each member may come once',
  }));
}
