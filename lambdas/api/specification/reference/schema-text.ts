import type { Schema } from '../openapi.ts';
import { linkTo } from './markdown.ts';

/** Returns rows of name, type and meaning. A nested field is named `outer.inner`, one in array items `outer[].inner`. */
export function fieldRows(schema: Schema, prefix = ''): readonly (readonly string[])[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const type = required.has(name) ? typeOf(field) : `${typeOf(field)}, optional`;
    return [[`\`${path}\``, type, field.description ?? ''], ...nestedRows(path, field)];
  });
}

function nestedRows(path: string, schema: Schema): readonly (readonly string[])[] {
  const [inner = schema, ...others] = (schema.anyOf ?? [schema]).filter(
    ({ type }) => type !== 'null',
  );
  // The object types of a union may differ in their fields, so the description explains them.
  if (others.length > 0) return [];
  if (inner.type === 'array' && inner.items !== undefined) {
    return nestedRows(`${path}[]`, inner.items);
  }
  return fieldRows(inner, `${path}.`);
}

/** Describes the type as text: `integer from 0`, `string or null`, `array of Job`. */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, type, items } = schema;
  if ($ref !== undefined) return typeLink($ref.slice($ref.lastIndexOf('/') + 1));
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  }
  if (type === 'array' && items !== undefined) {
    return `array of ${typeOf(items)}`;
  }
  const name = typeof type === 'string' ? type : (type ?? []).join(' or ');
  return `${nameOf(schema, name)}${boundsOf(schema)}`;
}

/** Distinguishes the heading from those of operations, which may have the same name. */
export function typeHeading(name: string): string {
  return `${name} type`;
}

export function typeLink(name: string): string {
  return linkTo(typeHeading(name), name);
}

function nameOf({ format }: Schema, type: string): string {
  if (format === 'uuid') return 'UUID';
  if (format === 'uri') return 'URL';
  if (format === 'date') return 'date';
  return format === 'date-time' ? 'time' : type;
}

function boundsOf({ type, minimum, maximum, maxLength }: Schema): string {
  if (type === 'string') return maxLength === undefined ? '' : `, at most ${maxLength} characters`;
  const from =
    minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? '' : ` from ${minimum}`;
  const to = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`;
  return `${from}${to}`;
}
