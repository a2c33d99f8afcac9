import { isObject, type Json, type JsonObject } from '../../../local/json.ts';

/** Resolves a reference: `Ref` if there is no attribute, `Fn::GetAtt` if there is one. */
export type Reference = (id: string, attribute?: string) => string;

/** Values that other stacks read, by the name of the export, or of the parameter that reads them from SSM. */
export type Exported = ReadonlyMap<string, Json>;

/** Returns a value with its intrinsic functions evaluated; an unknown function stays as JSON. */
export function evaluateIntrinsic(
  value: Json | undefined,
  exported: Exported,
  named: Reference,
): string {
  const text = (part: Json | undefined) => evaluateIntrinsic(part, exported, named);
  if (value === undefined) return '';
  if (!isObject(value)) return String(value);
  const [name, argument] = Object.entries(value)[0] ?? [];
  const parts = Array.isArray(argument) ? (argument as readonly Json[]) : [];
  switch (name) {
    case 'Ref':
      return named(String(argument));
    case 'Fn::GetAtt':
      return named(String(parts[0]), parts.slice(1).join('.'));
    case 'Fn::ImportValue':
      return text(exported.get(String(argument)));
    case 'Fn::Join':
      return requireList(parts[1]).map(text).join(String(parts[0]));
    case 'Fn::Sub':
      return String(argument).replace(/\$\{([^}]+)\}/g, (_, reference: string) => {
        const [id = '', ...attribute] = reference.split('.');
        return attribute.length === 0 ? named(id) : named(id, attribute.join('.'));
      });
    case 'Fn::Select':
      return selectElement(parts, exported, text) ?? JSON.stringify(value);
    default:
      return JSON.stringify(value);
  }
}

/** Selects an element of a split text, as the CDK writes it, or of a list in SSM. */
function selectElement(
  [index, list]: readonly Json[],
  exported: Exported,
  text: (part: Json | undefined) => string,
): string | undefined {
  const read = isObject(list) ? exported.get(String(list['Ref'])) : undefined;
  if (read !== undefined) return text(read).split(',')[Number(index)];
  const split = isObject(list) ? requireList(list['Fn::Split']) : [];
  return text(split[1]).split(String(split[0]))[Number(index)];
}

function requireList(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? (json as readonly Json[]) : [];
}

/** Evaluates each intrinsic function in a whole document, such as a policy. */
export function evaluateDocument(json: Json, text: (value: Json) => string): Json {
  if (Array.isArray(json))
    return (json as readonly Json[]).map((part) => evaluateDocument(part, text));
  if (!isObject(json)) return json;
  if (isIntrinsic(json)) return text(json);
  return Object.fromEntries(
    Object.entries(json).map(([name, part]) => [name, evaluateDocument(part, text)]),
  );
}

function isIntrinsic(json: JsonObject): boolean {
  return Object.keys(json).some((name) => name === 'Ref' || name.startsWith('Fn::'));
}
