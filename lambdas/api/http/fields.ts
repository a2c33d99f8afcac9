import * as z from 'zod/mini';
import { LIMITS } from '../../domain/limits.ts';

export const SURROGATE = /\p{Surrogate}/u;

/** Counts Unicode code points. */
export function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export const NAME_RULE = `must be a string of at most ${LIMITS.nameCharacters} characters of well-formed Unicode`;

export function isName(text: string): boolean {
  return !SURROGATE.test(text) && charactersIn(text) <= LIMITS.nameCharacters;
}

export const name = z
  .string({ error: NAME_RULE })
  .check(z.refine(isName, { error: NAME_RULE }), z.meta({ maxLength: LIMITS.nameCharacters }));

/** Null counts as absent, because some clients send null for unset fields. */
export const optionalField = <Field extends z.core.$ZodType>(field: Field, description: string) =>
  z.nullish(field).check(z.describe(description));

/** Returns no error for unknown fields, because `toViolations` writes their message. */
export function objectError(typeRule: string) {
  return (issue: { readonly code?: string }) =>
    issue.code === 'unrecognized_keys' ? undefined : typeRule;
}
