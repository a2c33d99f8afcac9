import type { Violation } from '../../domain/admission/admit.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { type MemberSpan, memberSpans } from '../../json/json-spans.ts';
import { MAX_VIOLATIONS } from '../contract/first-violations.ts';
import { pointerOf } from '../contract/pointer.ts';

/**
 * The members of a body. Of more than may be wrong and right together the rest is not read: such a
 * body is refused for those that come first.
 * @param fields that the body may have, each once
 */
export function membersOf(
  body: Uint8Array,
  value: unknown,
  fields: readonly string[],
): readonly MemberSpan[] {
  return isJsonObject(value) ? memberSpans(body, fields.length + MAX_VIOLATIONS + 1) : [];
}

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
