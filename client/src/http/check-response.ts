import type { components } from '../openapi.ts';
import { SHAPES } from '../shapes.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { Shape } from './shape.ts';
import { notTheServiceError, type SoilError, type Violation } from './soil-error.ts';

/** Responses of the API, and the webhook's event, by their names in the OpenAPI document. */
export type Responses = Pick<components['schemas'], keyof typeof SHAPES>;

/**
 * Returns the value, typed by its schema. Unknown fields are ignored, because a newer service may send more.
 * @param source where the value came from, for the error message
 * @throws SoilError `not-the-service`, naming the first field that is missing or not valid
 */
export function checkResponse<Name extends keyof Responses>(
  source: string,
  name: Name,
  value: unknown,
  details: Pick<SoilError, 'status' | 'requestId'> | Record<never, never> = {},
): Responses[Name] {
  const fault = findFaultAt('', SHAPES[name], value);
  if (fault === null) return value as Responses[Name];
  const what = `${fault.pointer || 'it'} ${fault.message}`;
  throw notTheServiceError(`${source} does not match this client's types: ${what}.`, {
    ...details,
    errors: [fault],
  });
}

function findFaultAt(pointer: string, shape: Shape, value: unknown): Violation | null {
  if (shape.anyOf !== undefined) return findFaultInEach(pointer, shape.anyOf, value);
  const message = findValueFault(shape, value);
  if (message !== null) return { pointer, message };
  if (Array.isArray(value)) return findFaultInItems(pointer, shape, value);
  return isJsonObject(value) ? findFaultInMembers(pointer, shape, value) : null;
}

/** If no alternative fits, returns the fault of the closest alternative. */
function findFaultInEach(
  pointer: string,
  alternatives: readonly Shape[],
  value: unknown,
): Violation | null {
  let furthest: Violation | null = null;
  for (const shape of alternatives) {
    const fault = findFaultAt(pointer, shape, value);
    if (fault === null) return null;
    if (furthest === null || fault.pointer.length > furthest.pointer.length) furthest = fault;
  }
  return furthest;
}

function findFaultInItems(
  pointer: string,
  { items, minItems = 0, maxItems = Infinity }: Shape,
  value: readonly unknown[],
): Violation | null {
  if (value.length < minItems || value.length > maxItems) {
    return { pointer, message: `has the wrong number of items: ${value.length}` };
  }
  return findFirst(items === undefined ? [] : value.entries(), ([index, item]) =>
    findFaultAt(`${pointer}/${index}`, items ?? {}, item),
  );
}

function findFaultInMembers(
  pointer: string,
  { properties = {}, required = [], additionalProperties }: Shape,
  value: JsonObject,
): Violation | null {
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) {
    return { pointer: `${pointer}/${escapePointer(missing)}`, message: 'is missing' };
  }
  return findFirst(Object.entries(value), ([name, member]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return shape === undefined
      ? null
      : findFaultAt(`${pointer}/${escapePointer(name)}`, shape, member);
  });
}

function findFirst<Part>(
  parts: Iterable<Part>,
  findFault: (part: Part) => Violation | null,
): Violation | null {
  for (const part of parts) {
    const fault = findFault(part);
    if (fault !== null) return fault;
  }
  return null;
}

function findValueFault(shape: Shape, value: unknown): string | null {
  const types = [shape.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    return `must be of the type ${types.join(' or ')}`;
  }
  if (typeof value === 'number' && !isInBounds(shape, value)) return `must not be ${value}`;
  if (typeof value !== 'string') return null;
  if (shape.format === 'uuid' && !UUID.test(value)) return 'must be a UUID';
  if (shape.enum === undefined || shape.enum.includes(value)) return null;
  return `must be one of ${shape.enum.join(', ')}`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** JSON numbers are unbounded: `1e400` becomes infinite, and integers above 2^53 lose digits. */
function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'number':
      return Number.isFinite(value);
    case 'integer':
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}

function isInBounds(shape: Shape, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity } = shape;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = shape;
  return (
    value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum
  );
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
