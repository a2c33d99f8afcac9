import type { Violation } from '../../domain/batch/requested-batch.ts';
import { violationsProblem } from './problem.ts';
import type { ApiRequest } from './request.ts';
import { formatPointer } from './violations.ts';

export interface Format {
  readonly accepts: (text: string) => boolean;
  readonly rule: string;
}

/**
 * Reads the query parameters by name, each at most once and in its format. An empty parameter counts as absent, because
 * some HTTP libraries write unset variables as empty parameters. A cursor is checked when it is decoded.
 * @throws Problem 400 that lists the first violations
 */
export function readQuery<Name extends string>(
  request: ApiRequest,
  allowed: readonly Name[],
  formats?: Readonly<Partial<Record<Name, Format>>>,
): Readonly<Partial<Record<Name, string>>> {
  const violations: Violation[] = [];
  const query: Partial<Record<Name, string>> = {};
  for (const [name, sent] of request.query) {
    const values = sent.filter((value) => value !== '');
    const [value] = values;
    const known = allowed.find((candidate) => candidate === name);
    if (known === undefined) {
      const rule =
        allowed.length === 0 ? 'no parameters are allowed here' : `allowed: ${allowed.join(', ')}`;
      violations.push({
        pointer: formatPointer([name]),
        message: `is not a query parameter; ${rule}`,
      });
    } else if (values.length > 1) {
      violations.push({
        pointer: `/${name}`,
        message: `was sent ${values.length} times; send it once`,
      });
    } else if (value !== undefined) {
      const format = formats?.[known];
      if (format?.accepts(value) === false) violations.push(violation(name, format.rule, value));
      query[known] = value;
    }
  }
  if (violations.length > 0) throw violationsProblem('parameter-invalid', violations);
  return query;
}

/**
 * Empty parameters count as absent.
 * @param most how often each may be sent
 * @throws Problem 400 that lists the first violations
 */
export function readRepeated<Name extends string>(
  request: ApiRequest,
  most: Readonly<Record<Name, number>>,
): (name: Name) => readonly string[] {
  const allowed = new Map<string, number>(Object.entries(most));
  const violations: Violation[] = [];
  for (const [name, sent] of request.query) {
    const { length } = sent.filter((value) => value !== '');
    const times = allowed.get(name);
    if (times === undefined) {
      const message = `is not a query parameter; allowed: ${[...allowed.keys()].join(', ')}`;
      violations.push({ pointer: formatPointer([name]), message });
    } else if (length > times) {
      const often = times === 1 ? 'once' : `at most ${times} times`;
      const message = `was sent ${length} times; send it ${often}`;
      violations.push({ pointer: `/${name}`, message });
    }
  }
  if (violations.length > 0) throw violationsProblem('parameter-invalid', violations);
  return (name) => (request.query.get(name) ?? []).filter((value) => value !== '');
}

/** UUIDs are case-insensitive on input (RFC 9562, section 4). */
export function readId(request: ApiRequest, name: 'batch_id' | 'job_id'): string {
  return request.pathParameter(name).toLowerCase();
}

export function violation(name: string, rule: string, received: string): Violation {
  return { pointer: `/${name}`, message: `${rule}; got ${JSON.stringify(received.slice(0, 40))}` };
}
