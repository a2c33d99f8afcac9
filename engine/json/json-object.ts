export type JsonObject = Readonly<Record<string, unknown>>;

/** Of what `JSON.parse` gives: neither null, a list nor a plain value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
