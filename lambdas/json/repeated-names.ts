import { fieldsAt } from './json-spans.ts';

/** The fields of an object that are read, each with the fields that are read of its own value. */
export interface ReadFields {
  readonly [name: string]: ReadFields;
}

/**
 * The paths of read fields that an object holds more than once, each path once. RFC 8259, section 4:
 * which of them a program gets is unpredictable; `JSON.parse` keeps the last.
 * @param from where the object starts
 */
export function* repeatedNames(
  bytes: Uint8Array,
  from: number,
  fields: ReadFields,
): Generator<readonly string[]> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { name, start } of fieldsAt(bytes, from)) {
    const inner = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (inner === undefined) continue;
    if (seen.has(name) && !repeated.has(name)) {
      repeated.add(name);
      yield [name];
    }
    seen.add(name);
    if (Object.keys(inner).length === 0) continue;
    for (const path of repeatedNames(bytes, start, inner)) yield [name, ...path];
  }
}
