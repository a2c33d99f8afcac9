import type { Violation } from '../../domain/admission/admit.ts';
import { violationsProblem } from '../http/problem.ts';
import type { ApiRequest } from '../http/request.ts';
import { pointerOf } from './pointer.ts';

/** What the text of a parameter must be. */
export interface Form {
  readonly accepts: (text: string) => boolean;
  readonly rule: string;
}

/**
 * The query's parameters by name, each at most once and of its form. A cursor has none: whether it is
 * one is seen where its page is opened.
 * @throws Problem that lists everything wrong at once
 */
export function readQuery<Name extends string>(
  request: ApiRequest,
  allowed: readonly Name[],
  forms?: Readonly<Partial<Record<Name, Form>>>,
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
        message: `came ${values.length} times; send it once`,
      });
    } else {
      const [value = ''] = values;
      const form = forms?.[known];
      if (form?.accepts(value) === false) violations.push(violation(name, form.rule, value));
      query[known] = value;
    }
  }
  if (violations.length > 0) throw violationsProblem('parameter-invalid', violations);
  return query;
}

/** An id of the path as the service writes it: UUIDs are read in either case (RFC 9562, section 4). */
export function readId(request: ApiRequest, name: 'batch_id' | 'job_id'): string {
  return request.pathParameter(name).toLowerCase();
}

export function violation(name: string, rule: string, came: string): Violation {
  return { pointer: `/${name}`, message: `${rule}; got ${JSON.stringify(came.slice(0, 40))}` };
}
