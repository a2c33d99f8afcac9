/** JSON text that goes out exactly as it came in. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * `JSON.stringify` of an object whose own members may be {@link RawJson}; deeper ones may not.
 * (`JSON.rawJSON` takes only scalars, and only from Node 22 on.)
 */
export function stringify(members: object): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    const text = value instanceof RawJson ? value.text : JSON.stringify(value);
    if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${parts.join(',')}}`;
}

/** An array of objects whose own members may be {@link RawJson}, as the one of such an object. */
export function rawArray(objects: readonly object[]): RawJson {
  return new RawJson(`[${objects.map(stringify).join(',')}]`);
}
