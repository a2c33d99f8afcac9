import type * as z from 'zod';
import type { Violation } from '../../domain/admission/admit.ts';
import { charactersIn, createRequest, jobRequest } from '../operations/batch/create-request.ts';
import { pointerOf } from './pointer.ts';

type Path = readonly PropertyKey[];

/** Members whose value is never repeated, not even to the one who sent it. */
const SECRET_POINTERS: ReadonlySet<string> = new Set(['/webhook_secret']);

/**
 * Zod's issues in the API's words: each says what is allowed and what came.
 * @param members that the body may have; a creation's unless another request is judged
 */
export function violationsOf(
  issues: readonly z.core.$ZodIssue[],
  body: unknown,
  members: readonly string[] = Object.keys(createRequest.shape),
): Violation[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownMember(issue.path, key, members))
      : [violationAt(issue.path, issue.message, body)],
  );
}

function unknownMember(path: Path, key: string, members: readonly string[]): Violation {
  const known = path.length === 0 ? members : Object.keys(jobRequest.shape);
  return {
    pointer: pointerOf([...path, key]),
    message: `is not a known member; allowed are ${known.join(', ')}`,
  };
}

function violationAt(path: Path, rule: string, body: unknown): Violation {
  const pointer = pointerOf(path);
  const value = valueAt(body, path);
  if (value === undefined) return { pointer, message: `is missing: it ${rule}` };
  const came = SECRET_POINTERS.has(pointer) ? kindOf(value) : described(value);
  return { pointer, message: `${rule}; got ${came}` };
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

function described(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number too large to keep';
  if (typeof value === 'string' && value.length <= MAX_SHOWN) return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return `a string of ${charactersIn(value)} characters`;
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}
