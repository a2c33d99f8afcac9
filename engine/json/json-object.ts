export type JsonObject = Readonly<Record<string, unknown>>;

/** `JSON.parse` gives objects, lists, plain values and null; this tells the objects. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether arrays and objects nest deeper in a JSON value than this many levels, its own included. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1));
}
