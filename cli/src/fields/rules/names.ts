import { NAME_CHARACTERS } from './limits.ts';

/** A value of an attribute as the name of a field; null if it is none. */
export function asName(value: unknown): string | null {
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return null;
  const name = String(value).trim();
  return name === '' ? null : shortened(name);
}

/** Half a character, which UTF-8 can't express, may be in a file; the cut leaves none. */
function shortened(name: string): string {
  // A character beyond the first 65,536 takes two places of a string.
  const characters = [...name.slice(0, 2 * NAME_CHARACTERS)].slice(0, NAME_CHARACTERS);
  return characters.join('').replace(/\p{Surrogate}/gu, '\uFFFD');
}
