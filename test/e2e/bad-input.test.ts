import { describe, expect, inject, it } from 'vitest';
import { httpClient, type RequestOptions } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);

const job = { polygon: {}, year: 2024 };
const unknownBatch = '01890000-0000-7000-8000-000000000000';

interface BadInput {
  readonly what: string;
  readonly path?: string;
  readonly options?: RequestOptions;
  readonly status: number;
  /** What the body must contain: a pointer, a field or a limit. */
  readonly names?: RegExp;
}

/** What the gateway and the authorizer see of a request; the rules of its body are tested without them. */
const table: readonly BadInput[] = [
  { what: 'a body that is not JSON', options: { body: '{"jobs":' }, status: 400, names: /JSON/ },
  {
    what: 'a body that is not UTF-8',
    options: { body: new Uint8Array([0xff, 0x7b]) },
    status: 400,
  },
  {
    what: 'a body with unknown fields',
    options: { body: JSON.stringify({ jobs: [job, { ...job, yaer: 1 }] }) },
    status: 422,
    names: /\/jobs\/1\/yaer/,
  },
  {
    what: 'too large a body',
    options: { body: `{"jobs":[],"metadata":{"x":"${'x'.repeat(4_000_001)}"}}` },
    status: 413,
    names: /4,?000,?000/,
  },
  { what: 'an unknown batch', path: `/v1/batch/${unknownBatch}/status`, status: 404 },
  { what: 'an unknown path', path: '/v1/nothing', status: 404 },
  { what: 'an unknown path at the root', path: '/nothing', status: 404 },
  {
    what: 'a method that the path does not have',
    path: '/v1/batch',
    options: { method: 'PUT' },
    status: 405,
  },
  {
    what: 'a wrong key',
    path: `/v1/batch/${unknownBatch}/status`,
    options: { key: 'soc_wrong' },
    status: 401,
  },
  { what: 'no key', path: `/v1/batch/${unknownBatch}/status`, options: { key: null }, status: 401 },
];

describe('bad input', () => {
  it.each(table)('$what gets $status and the reason', async (row) => {
    const response = await call(row.path ?? '/v1/batch', row.options);
    expect(response.status).toBe(row.status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    const problem = spec.problem.parse(response.json);
    expect(problem.status).toBe(row.status);
    if (row.names !== undefined) expect(response.text).toMatch(row.names);
    if (row.status === 401) expect(response.headers.get('www-authenticate')).toBe('Bearer');
    if (row.status === 405) expect(response.headers.get('allow')).toMatch(/POST/);
  });
});
