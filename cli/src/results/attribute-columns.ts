import type { Attribute, Field } from '../fields/field-collection.ts';
import { type Column, type ColumnType, RESULT_COLUMNS, type Scalar } from './result-columns.ts';

/** Columns that a GeoPackage has of its own. */
const GEOPACKAGE_COLUMNS = ['fid', 'geom'];

const TYPES: Readonly<Record<string, ColumnType>> = {
  Integer: 'Integer',
  Integer64: 'Integer64',
  Real: 'Real',
  Date: 'Date',
  DateTime: 'DateTime',
};

/**
 * The attributes of the fields as columns. One that has the name of a result gets `_input` behind it:
 * SQLite, and so GeoPackage, ignores case in names.
 */
export function attributeColumns(
  attributes: readonly Attribute[] | null,
  fields: readonly Field[],
): readonly Column[] {
  const taken = new Set([...RESULT_COLUMNS.map(({ name }) => name), ...GEOPACKAGE_COLUMNS]);
  return (attributes ?? attributesIn(fields)).map((attribute) => {
    const name = freeName(attribute.name, taken);
    taken.add(name.toLowerCase());
    const type = typeOf(attribute);
    const key = attribute.name;
    return { name, type, cellOf: ({ field }) => scalar(field.properties, key) };
  });
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  while (taken.has(free.toLowerCase())) free = `${free}_input`;
  return free;
}

function typeOf({ type, subtype }: Attribute): ColumnType {
  if (subtype === 'Boolean') return 'Boolean';
  return TYPES[type] ?? 'String';
}

function scalar(properties: Field['properties'], key: string): Scalar {
  const value = Object.hasOwn(properties, key) ? properties[key] : null;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  return JSON.stringify(value);
}

/** GeoJSON declares no attributes: those of all fields, with the type that all their values have. */
function attributesIn(fields: readonly Field[]): readonly Attribute[] {
  const types = new Map<string, Set<string>>();
  for (const { properties } of fields) {
    for (const [name, value] of Object.entries(properties)) {
      const seen = types.get(name) ?? new Set();
      if (value !== null) seen.add(valueType(value));
      types.set(name, seen);
    }
  }
  return [...types].map(([name, seen]) => {
    const type = commonType(seen);
    return type === 'Boolean'
      ? { name, type: 'Integer', subtype: type }
      : { name, type, subtype: null };
  });
}

function valueType(value: unknown): string {
  if (typeof value === 'boolean') return 'Boolean';
  if (typeof value !== 'number') return 'String';
  return Number.isSafeInteger(value) ? 'Integer64' : 'Real';
}

function commonType(seen: ReadonlySet<string>): string {
  const [only = 'String', other] = seen;
  if (other === undefined) return only;
  return [...seen].every((type) => type === 'Integer64' || type === 'Real') ? 'Real' : 'String';
}
