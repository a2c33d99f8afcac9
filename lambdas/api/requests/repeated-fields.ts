import { isJsonObject } from '#engine/json/json-object.ts';
import { type FieldSpan, fieldSpans } from '#engine/json/json-spans.ts';
import type { Violation } from '../../domain/batch/new-batch.ts';
import { MAX_VIOLATIONS } from '../problems/first-violations.ts';
import { pointerOf } from './pointer.ts';

/**
 * The spans of a body's top-level fields. Reading stops once there are certainly more than
 * {@link MAX_VIOLATIONS} violations.
 * @param fields that the body may have, each once
 */
export function fieldSpansOf(
  body: Uint8Array,
  value: unknown,
  fields: readonly string[],
): readonly FieldSpan[] {
  return isJsonObject(value) ? fieldSpans(body, fields.length + MAX_VIOLATIONS + 1) : [];
}

/**
 * Fields that the body holds more than once. RFC 8259, section 4: which of them a program gets is
 * unpredictable; `JSON.parse` keeps the last.
 */
export function repeatedFields(members: readonly FieldSpan[]): readonly Violation[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of members) (seen.has(name) ? twice : seen).add(name);
  return [...twice].map((name) => ({
    pointer: pointerOf([name]),
    message: 'appears more than once in its object; send each field once',
  }));
}
