import type { Violation } from '../../domain/batch/new-batch.ts';
import { violationsProblem } from '../http/problem.ts';
import type { ApiRequest } from '../http/request.ts';
import { pointerOf } from './pointer.ts';

/** The format that a parameter's text must have. */
export interface Format {
  readonly accepts: (text: string) => boolean;
  readonly rule: string;
}

/**
 * The query parameters by name, each at most once and in its format. A cursor has no format here: it is
 * checked when it is decoded.
 * @throws Problem 400 that lists every violation
 */
export function readQuery<Name extends string>(
  request: ApiRequest,
  allowed: readonly Name[],
  formats?: Readonly<Partial<Record<Name, Format>>>,
): Readonly<Partial<Record<Name, string>>> {
  const violations: Violation[] = [];
  const query: Partial<Record<Name, string>> = {};
  for (const [name, values] of request.query) {
    const known = allowed.find((candidate) => candidate === name);
    if (known === undefined) {
      const rule = allowed.length === 0 ? 'none is allowed here' : `allowed: ${allowed.join(', ')}`;
      violations.push({ pointer: pointerOf([name]), message: `is not a query parameter; ${rule}` });
    } else if (values.length > 1) {
      violations.push({
        pointer: `/${name}`,
        message: `was sent ${values.length} times; send it once`,
      });
    } else {
      const [value = ''] = values;
      const format = formats?.[known];
      if (format?.accepts(value) === false) violations.push(violation(name, format.rule, value));
      query[known] = value;
    }
  }
  if (violations.length > 0) throw violationsProblem('parameter-invalid', violations);
  return query;
}

/**
 * The values of a parameter that may be repeated, the only one of the operation.
 * @throws Problem 400 that lists every violation
 */
export function readRepeated(request: ApiRequest, name: string, most: number): readonly string[] {
  const others = [...request.query.keys()].filter((other) => other !== name);
  const violations = others.map((other) => ({
    pointer: pointerOf([other]),
    message: `is not a query parameter; allowed: ${name}`,
  }));
  const values = request.query.get(name) ?? [];
  if (values.length > most) {
    const message = `was sent ${values.length} times; send it at most ${most} times`;
    violations.push({ pointer: `/${name}`, message });
  }
  if (violations.length > 0) throw violationsProblem('parameter-invalid', violations);
  return values;
}

/** An id from the path, in lower case: UUIDs are case-insensitive on input (RFC 9562, section 4). */
export function readId(request: ApiRequest, name: 'batch_id' | 'job_id'): string {
  return request.pathParameter(name).toLowerCase();
}

export function violation(name: string, rule: string, received: string): Violation {
  return { pointer: `/${name}`, message: `${rule}; got ${JSON.stringify(received.slice(0, 40))}` };
}
