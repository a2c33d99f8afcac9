import type { OpenApiDocument, Schema } from '../../../../lambdas/api/specification/openapi.ts';

/** Requests are sent by the client and must stay allowed; responses and webhooks must bring nothing unforeseen. */
export type Direction = 'sent' | 'received';

/** A schema and the document that resolves its references. */
export interface Located {
  readonly document: OpenApiDocument;
  readonly schema: Schema;
}

/**
 * What breaks a client when the schema `old` becomes `now`. Changes inside a named schema are reported
 * under its name in the old document, wherever it is referenced.
 */
export function schemaChanges(
  direction: Direction,
  at: string,
  old: Located,
  now: Located,
): readonly string[] {
  const path = nameOf(old.schema) ?? at;
  const olds = alternativesOf(old);
  const nows = alternativesOf(now);
  const [demanded, offered] = direction === 'sent' ? [olds, nows] : [nows, olds];
  return demanded.flatMap((one) => {
    const attempts = offered.map((other) =>
      direction === 'sent'
        ? changesOf(direction, path, one, other)
        : changesOf(direction, path, other, one),
    );
    return attempts.sort((a, b) => a.length - b.length)[0] ?? [];
  });
}

/** Of schemas without alternatives. */
function changesOf(
  direction: Direction,
  at: string,
  old: Located,
  now: Located,
): readonly string[] {
  const [before, after] = [old.schema, now.schema];
  if (!isTypeKept(direction, before, after)) {
    return [`${direction} ${at}: ${before.type ?? 'any'} became ${after.type ?? 'any'}`];
  }
  return [
    ...valueChanges(direction, before, after).map((change) => `${direction} ${at}: ${change}`),
    ...itemsChanges(direction, at, old, now),
    ...(before.type === 'object' ? fieldChanges(direction, at, old, now) : []),
  ];
}

function isTypeKept(direction: Direction, { type: old }: Schema, { type: now }: Schema): boolean {
  const [narrow, wide] = direction === 'sent' ? [old, now] : [now, old];
  return narrow === wide || wide === undefined || (narrow === 'integer' && wide === 'number');
}

const LOWER = ['minimum', 'minLength', 'minItems'] as const;
const UPPER = ['maximum', 'maxLength', 'maxItems'] as const;

/** More values to send are an addition, and so are enum values in a response. */
function valueChanges(direction: Direction, old: Schema, now: Schema): readonly string[] {
  const [narrow, wide] = direction === 'sent' ? [old, now] : [now, old];
  const changes: string[] = [];
  const values = valuesOf(wide);
  if (values !== undefined) {
    const others = valuesOf(narrow);
    const outside = others?.filter((value) => !values.includes(value)) ?? ['any value'];
    const isAddition = direction === 'received' && others !== undefined && old.const === undefined;
    if (outside.length > 0 && !isAddition) changes.push(`${outside.join(', ')} not allowed`);
  }
  for (const keyword of LOWER) {
    if ((narrow[keyword] ?? -Infinity) < (wide[keyword] ?? -Infinity)) changes.push(keyword);
  }
  for (const keyword of UPPER) {
    if ((narrow[keyword] ?? Infinity) > (wide[keyword] ?? Infinity)) changes.push(keyword);
  }
  for (const keyword of ['format', 'pattern'] as const) {
    if (wide[keyword] !== undefined && wide[keyword] !== narrow[keyword]) changes.push(keyword);
  }
  return changes;
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

function itemsChanges(
  direction: Direction,
  at: string,
  old: Located,
  now: Located,
): readonly string[] {
  const [before, after] = [old.schema.items, now.schema.items];
  if (before === undefined || after === undefined) return [];
  const [oldItems, nowItems] = [
    { ...old, schema: before },
    { ...now, schema: after },
  ];
  return schemaChanges(direction, `${at}[]`, oldItems, nowItems);
}

function fieldChanges(
  direction: Direction,
  at: string,
  old: Located,
  now: Located,
): readonly string[] {
  const { properties: olds = {}, required: oldRequired = [] } = old.schema;
  const { properties: nows = {}, required: nowRequired = [] } = now.schema;
  const isClosed = now.schema.additionalProperties === false;
  const changes: string[] = [];
  if (direction === 'sent' && isClosed && old.schema.additionalProperties !== false) {
    changes.push(`sent ${at}: other fields are rejected`);
  }
  for (const [name, field] of Object.entries(olds)) {
    const path = `${at}.${name}`;
    const same = nows[name];
    if (same !== undefined) {
      const located = [
        { ...old, schema: field },
        { ...now, schema: same },
      ] as const;
      changes.push(...schemaChanges(direction, path, ...located));
      if (direction === 'received' && oldRequired.includes(name) && !nowRequired.includes(name)) {
        changes.push(`received ${path}: optional`);
      }
    } else if (direction === 'received' || isClosed) changes.push(`${direction} ${path}: gone`);
  }
  const demanded = nowRequired.filter((name) => !oldRequired.includes(name));
  return direction === 'received'
    ? changes
    : [...changes, ...demanded.map((name) => `sent ${at}.${name}: required`)];
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1);
}

/** The schema without its reference, once per member of `anyOf` and per type. */
function alternativesOf({ document, schema }: Located): readonly Located[] {
  const { $ref, anyOf, type, ...rest } = { ...namedSchema(document, schema), ...schema };
  if (anyOf !== undefined) {
    return anyOf.flatMap((one) => alternativesOf({ document, schema: one }));
  }
  if (Array.isArray(type)) {
    return type.map((one: string) => ({ document, schema: { ...rest, type: one } }));
  }
  return [{ document, schema: { ...rest, ...(type === undefined ? {} : { type }) } }];
}

function namedSchema(document: OpenApiDocument, schema: Schema): Schema | undefined {
  const name = nameOf(schema);
  return name === undefined ? undefined : document.components.schemas[name];
}
