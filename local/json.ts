export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

export function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Undefined if a field is missing. */
export function valueAtPath(json: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, member) => (isObject(value) ? value[member] : undefined),
    json,
  );
}

/** Returns a list, because CloudFormation and policies may write a list of one element as the element. */
export function toList(json: Json | undefined): readonly Json[] {
  if (json === undefined) return [];
  return Array.isArray(json) ? json : [json as Exclude<Json, readonly Json[]>];
}

export function toTexts(json: Json | undefined): readonly string[] {
  return toList(json).map(String);
}
