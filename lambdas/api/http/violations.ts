import type * as z from 'zod/mini';
import { type FieldSpan, listFieldSpans } from '#engine/json/json-bytes.ts';
import { isJsonObject } from '#engine/json/json-object.ts';
import type { Violation } from '../../domain/batch/requested-batch.ts';
import { charactersIn } from './fields.ts';
import { MAX_VIOLATIONS } from './problem.ts';

type Path = readonly PropertyKey[];

/** Fields whose value never appears in a message. */
const SECRET_POINTERS: ReadonlySet<string> = new Set(['/webhook_secret']);

/** `fields` are those that the value may have. */
export interface ValidatedValue {
  readonly value: unknown;
  readonly path: Path;
  readonly fields: readonly string[];
}

/** Each message says what is allowed and what was received. */
export function* toViolations(
  issues: readonly z.core.$ZodIssue[],
  { value, path, fields }: ValidatedValue,
): Generator<Violation> {
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') {
      const pointer = formatPointer([...path, ...issue.path]);
      yield violationAt(pointer, issue.message, valueAt(value, issue.path));
      continue;
    }
    yield* unknownFields(issue.keys, [...path, ...issue.path], fields);
  }
}

/**
 * Returns the unknown fields of an object that has so many fields that more are certainly unknown than a response
 * lists. A body may have hundreds of thousands of fields, and a schema would be slow to find the unknown ones.
 */
export function* surplusFields({ value, path, fields }: ValidatedValue): Generator<Violation> {
  if (!isJsonObject(value)) return;
  const names = Object.keys(value);
  if (names.length <= fields.length + MAX_VIOLATIONS) return;
  const unknown = names.filter((name) => !fields.includes(name));
  yield* unknownFields(unknown, path, fields);
}

function* unknownFields(
  names: readonly string[],
  path: Path,
  allowed: readonly string[],
): Generator<Violation> {
  for (const name of names) {
    yield {
      pointer: formatPointer([...path, name]),
      message: `is not a known field; allowed: ${allowed.join(', ')}`,
    };
  }
}

function violationAt(pointer: string, rule: string, value: unknown): Violation {
  if (value === undefined) return { pointer, message: `is missing; it ${rule}` };
  const received = SECRET_POINTERS.has(pointer) ? describeKind(value) : describeValue(value);
  return { pointer, message: `${rule}; got ${received}` };
}

function valueAt(body: unknown, path: Path): unknown {
  let value = body;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[step];
  }
  return value;
}

const MAX_SHOWN = 40;

function describeValue(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    return 'a number beyond the range of a double';
  if (typeof value === 'string' && value.length <= MAX_SHOWN) return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return describeKind(value);
}

function describeKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of length ${value.length}`;
  if (typeof value === 'string') return `a string of ${charactersIn(value)} characters`;
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}

/** RFC 6901. */
export function formatPointer(path: readonly PropertyKey[]): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/**
 * Stops once there are certainly more than {@link MAX_VIOLATIONS} violations.
 * @param fields the fields that the body may have, each once
 */
export function readFieldSpans(
  body: Uint8Array,
  value: unknown,
  fields: readonly string[],
): readonly FieldSpan[] {
  return isJsonObject(value) ? listFieldSpans(body, fields.length + MAX_VIOLATIONS + 1) : [];
}

/**
 * It is unpredictable which of the repeated values a program uses (RFC 8259, section 4); `JSON.parse` keeps the last.
 */
export function repeatedFields(members: readonly FieldSpan[]): readonly Violation[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of members) (seen.has(name) ? twice : seen).add(name);
  return [...twice].map((name) => ({
    pointer: formatPointer([name]),
    message: 'appears more than once in its object; send each field once',
  }));
}
