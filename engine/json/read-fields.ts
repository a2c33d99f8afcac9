import { fieldsAt, type Span } from './json-spans.ts';

/** The fields of an object that are read, each with the fields that are read of its own value. */
export interface ReadFields {
  readonly [name: string]: ReadFields;
}

/** A read field of an object, or of a value in it. */
export interface FoundField extends Span {
  readonly path: readonly string[];
  /**
   * Whether it is the second of this path in its object. RFC 8259, section 4: which of them a program gets
   * is unpredictable; `JSON.parse` keeps the last.
   */
  readonly isRepeated: boolean;
}

/** The fields that are read of the object at `from`, and those of their values, in order. */
export function* readFields(
  bytes: Uint8Array,
  fields: ReadFields,
  from = 0,
): Generator<FoundField> {
  const counts = new Map<string, number>();
  for (const { name, start, end } of fieldsAt(bytes, from)) {
    const inner = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (inner === undefined) continue;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    yield { path: [name], start, end, isRepeated: count === 2 };
    if (Object.keys(inner).length === 0) continue;
    for (const field of readFields(bytes, inner, start)) {
      yield { ...field, path: [name, ...field.path] };
    }
  }
}

/** The values of the fields that are read of the object that a text consists of, by path: `a.b`. */
export function spansOf(bytes: Uint8Array, fields: ReadFields): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  for (const { path, start, end } of readFields(bytes, fields)) {
    spans.set(path.join('.'), { start, end });
  }
  return spans;
}
