import { readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { httpClient, type RequestOptions } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { eventually } from '../support/deployed/eventually.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);

const polygon = {
  type: 'Polygon',
  coordinates: [
    [
      [5.735, 50.97],
      [5.736, 50.97],
      [5.736, 50.971],
      [5.735, 50.97],
    ],
  ],
};
const job = { polygon, year: 2024 };
const [wholeArea] = JSON.parse(readFileSync('examples/meuse-batch.json', 'utf8')).jobs;
const unknownBatch = '01890000-0000-7000-8000-000000000000';

interface BadInput {
  readonly what: string;
  readonly path?: string;
  readonly options?: RequestOptions;
  readonly status: number;
  /** What the body must contain: a pointer, a field or a limit. */
  readonly names?: RegExp;
}

const create = (body: unknown): RequestOptions => ({ body: JSON.stringify(body) });

const table: readonly BadInput[] = [
  { what: 'a body that is not JSON', options: { body: '{"jobs":' }, status: 400, names: /JSON/ },
  {
    what: 'a body that is not UTF-8',
    options: { body: new Uint8Array([0xff, 0x7b]) },
    status: 400,
  },
  { what: 'an array as the body', options: create([]), status: 422 },
  { what: 'no jobs', options: create({}), status: 422, names: /\/jobs/ },
  { what: 'an empty list of jobs', options: create({ jobs: [] }), status: 422, names: /\/jobs/ },
  {
    what: 'too many jobs',
    options: create({ jobs: Array(1001).fill(job) }),
    status: 422,
    names: /1,?000/,
  },
  {
    what: 'a job without a polygon',
    options: create({ jobs: [{ year: 2024 }] }),
    status: 422,
    names: /\/jobs\/0\/polygon/,
  },
  {
    what: 'a year that is text',
    options: create({ jobs: [{ polygon, year: '2024' }] }),
    status: 422,
    names: /\/jobs\/0\/year/,
  },
  {
    what: 'an unknown field of the envelope',
    options: create({ jobs: [job], webhok_url: 'x' }),
    status: 422,
    names: /webhok_url/,
  },
  {
    what: 'an unknown field of a job',
    options: create({ jobs: [job, { ...job, yaer: 1 }] }),
    status: 422,
    names: /yaer/,
  },
  {
    what: 'metadata that is not an object',
    options: create({ jobs: [job], metadata: [1] }),
    status: 422,
    names: /\/metadata/,
  },
  {
    what: 'a webhook URL that is not a URL',
    options: create({ jobs: [job], webhook_url: 'not a url' }),
    status: 422,
    names: /\/webhook_url/,
  },
  {
    what: 'too large a body',
    options: { body: `{"jobs":[],"metadata":{"x":"${'x'.repeat(4_000_001)}"}}` },
    status: 413,
    names: /4,?000,?000/,
  },
  { what: 'an unknown batch', path: `/v1/batch/${unknownBatch}/status`, status: 404 },
  { what: 'a malformed batch id', path: '/v1/batch/abc/status', status: 404 },
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

const paged = z.looseObject({ next_cursor: z.string() });

/** The batch once it is final, without its URLs, which each read signs again. */
async function final(batchId: string) {
  const { jobs, ...batch } = await eventually(
    async () => spec.batch.parse((await call(`/v1/batch/${batchId}/status`)).json),
    ({ completed_at }) => completed_at !== null,
  );
  const url = { signed_cog_url: '', signed_cog_url_created_at: '', signed_url_expires_at: '' };
  return { ...batch, jobs: jobs.map((each) => ({ ...each, ...url })) };
}

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

describe('bad input on a batch that exists', () => {
  const posted = async (jobs: readonly object[]) =>
    spec.created.parse((await call('/v1/batch', create({ jobs }))).json);

  it('is rejected by the part that is wrong, and changes nothing', async () => {
    // The whole area has many patch-batches, so a page of one has a next cursor.
    const { batch_id: batch, job_ids } = await posted([wholeArea, job]);
    const before = await final(batch);
    const [first, second] = [0, 1].map((index) => `/v1/batch/${batch}/jobs/${job_ids[index]}`);
    const cursorOf = async (path: string) =>
      String(paged.parse((await call(path)).json).next_cursor);
    const ofJobs = await cursorOf(`/v1/batch/${batch}/status?limit=1`);
    const ofFirst = await cursorOf(`${first}/status?limit=1`);
    expect((await call(`${first}/status?cursor=${ofFirst}`)).status).toBe(200);

    const wrong: readonly (readonly [path: string, status: number, pointer?: string])[] = [
      [`${first}/patches/-1/status`, 400, '/patch_batch_idx'],
      [`${first}/patches/one/status`, 400, '/patch_batch_idx'],
      [`${first}/patches/1e0/status`, 400, '/patch_batch_idx'],
      [`${first}/patches/400/status`, 404],
      [`/v1/batch/${batch}/jobs/${unknownBatch}/status`, 404],
      [`/v1/batch/${batch}/jobs/x/status`, 404],
      [`${first}/status?cursor=${ofJobs}`, 400, '/cursor'],
      [`${second}/status?cursor=${ofFirst}`, 400, '/cursor'],
      [`${second}/status?cursor=AAAA`, 400, '/cursor'],
      [`/v1/batch/${batch}/status?cursor=${ofJobs.slice(0, -2)}`, 400, '/cursor'],
      [`${first}/status?limit=0`, 400, '/limit'],
      [`${first}/status?limit=101`, 400, '/limit'],
      [`/v1/batch/${batch}/status?jobs=some`, 400, '/jobs'],
      [`/v1/batch/${batch}/status?page=2`, 400, '/page'],
    ];
    for (const [path, status, pointer] of wrong) {
      const response = await call(path);
      const problem = spec.problem.parse(response.json);
      expect([path, response.status, problem.status]).toEqual([path, status, status]);
      expect([path, problem.errors?.[0]?.pointer]).toEqual([path, pointer]);
    }
    expect(await final(batch)).toEqual(before);
  });

  it('gives another tenant’s batch the same response as one that does not exist', async () => {
    const { batch_id: batch } = await posted([job]);
    const otherTenant = httpClient(service.v2_url, service.other_tenant_api_key);
    const foreign = await otherTenant(`/v1/batch/${batch}/status`);
    const unknown = await otherTenant(`/v1/batch/${unknownBatch}/status`);
    const comparable = (text: string) =>
      text
        .replaceAll(batch, '…')
        .replaceAll(unknownBatch, '…')
        .replace(/"request_id":"[^"]*"/, '');
    expect(foreign.status).toBe(404);
    expect(comparable(foreign.text)).toBe(comparable(unknown.text));
  });
});
