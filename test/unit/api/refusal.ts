import { expect } from 'vitest';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { BASE_URL, type Call, REQUEST_ID } from '../../support/api/gateway-event.ts';
import { inMemoryService } from '../../support/api/service.ts';

export interface Refusal {
  readonly name: string;
  readonly call: Call;
  readonly status: number;
  readonly slug: string;
  /** Pointers of the listed errors, if there are any. */
  readonly pointers?: readonly string[];
  /** Text that the client needs in order to correct the request. */
  readonly says?: RegExp;
}

export const body = (text: string | Uint8Array, headers: Call['headers'] = {}): Call => ({
  body: text,
  headers: { 'Content-Type': 'application/json', ...headers },
});

export async function expectRefusal(bad: Refusal): Promise<void> {
  const service = inMemoryService();
  const response = await service.create(bad.call);
  expect(response.status).toBe(bad.status);
  expect(response.headers['Content-Type']).toBe('application/problem+json');
  const problem = problemBody.parse(response.body);
  expect(problem.type).toBe(`${BASE_URL}/docs/problems/${bad.slug}`);
  expect(problem.status).toBe(bad.status);
  expect(problem.instance).toBe('/v1/batch');
  expect(problem.request_id).toBe(REQUEST_ID);
  if (bad.pointers !== undefined) {
    const pointers = problem.errors?.map(({ pointer }) => pointer) ?? [];
    expect(pointers.toSorted()).toEqual([...bad.pointers].sort());
  }
  if (bad.says !== undefined) expect(response.text.replaceAll('\\"', '"')).toMatch(bad.says);
  expect(service.writes.count).toBe(0);
}
