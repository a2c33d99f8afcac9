/** JSON text that becomes part of other JSON unchanged. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * `JSON.stringify` for an object whose direct fields may be {@link RawJson}, but not the fields of nested objects.
 * (`JSON.rawJSON` takes only scalars.)
 */
export function stringifyFields(fields: object): string {
  const isRaw = Object.values(fields).some((value) => value instanceof RawJson);
  if (!isRaw) return JSON.stringify(fields);
  const parts: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const text = value instanceof RawJson ? value.text : JSON.stringify(value);
    if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${parts.join(',')}}`;
}

export function stringifyArray(objects: readonly object[]): RawJson {
  return new RawJson(`[${objects.map(stringifyFields).join(',')}]`);
}
