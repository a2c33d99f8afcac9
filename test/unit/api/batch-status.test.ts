import { describe, expect, it } from 'vitest';
import { batchStatusResponse } from '../../../lambdas/api/operations/batch-status.ts';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { completedJob, failedJob, processingJob } from '../../support/api/job-records.ts';
import {
  creationBody,
  inMemoryService,
  job,
  LATER,
  statusCall,
} from '../../support/api/service.ts';

type Service = ReturnType<typeof inMemoryService>;

async function createBatchWith(service: Service, total: number, tenant = 'alpha'): Promise<string> {
  const jobs = Array.from({ length: total }, (_, index) => job({ name: `field ${index}` }));
  const response = await service.create({ body: creationBody({ jobs }), tenant });
  return creationResponse.parse(response.body).batch_id;
}

async function makeMixedBatch(service: Service): Promise<string> {
  const id = await createBatchWith(service, 4);
  await service.storeJob(id, completedJob(0));
  await service.storeJob(id, failedJob(1));
  await service.storeJob(id, processingJob(2));
  return id;
}

describe('the status of a batch', () => {
  it('matches its schema, counts the jobs by state (as tasks), and lists them in order', async () => {
    const service = inMemoryService();
    const response = await service.batchStatus(statusCall(await makeMixedBatch(service)));
    expect(response.status).toBe(200);
    const body = batchStatusResponse.parse(response.body);
    expect(body).toMatchObject({
      total_tasks: 4,
      completed_tasks: 1,
      failed_tasks: 1,
      pending_tasks: 2,
      processing_tasks: 1,
      completed_at: null,
    });
    expect(body.jobs.map(({ status, name }) => [status, name])).toEqual([
      ['completed', 'field 0'],
      ['failed', 'field 1'],
      ['processing', 'field 2'],
      ['pending', 'field 3'],
    ]);
    expect(body.has_more).toBeUndefined();
  });

  it('has a download URL with its expiry for a completed job, and an error for a failed job', async () => {
    const service = inMemoryService();
    const id = await makeMixedBatch(service);
    const response = await service.batchStatus(statusCall(id));
    const [completed, failed] = batchStatusResponse.parse(response.body).jobs;
    expect(completed?.signed_url_expires_at).toBe('2026-03-05T05:06:07.000Z');
    const { search } = new URL(completed?.signed_cog_url ?? '');
    expect(search).toContain(`file=${id.slice(24)}_field-0_1990.tif`);
    expect(failed).toMatchObject({
      signed_cog_url: null,
      signed_url_expires_at: null,
      error_code: 'geometry_self_intersection',
      error_message: 'ring 0 crosses itself at vertex 2',
      error_location: { ring: 0, vertex: 2, lon: 5.7, lat: 50.9 },
    });
  });

  it('links to the result of a completed job at its own deployment', async () => {
    const service = inMemoryService();
    const id = await makeMixedBatch(service);
    const variables = { base_url: 'https://maps.example/soil', deployment: 'v1' };
    const response = await service.batchStatus({ ...statusCall(id), variables });
    const { jobs } = batchStatusResponse.parse(response.body);
    const [completed, ...others] = jobs.map(({ result_url, item_url }) => [result_url, item_url]);
    const path = `https://maps.example/soil/v1/batch/${id}/jobs/${jobs[0]?.job_id}`;
    expect(completed).toEqual([`${path}/result`, `${path}/item`]);
    expect(new Set(others.flat())).toEqual(new Set([null]));
  });

  it('lists only completed jobs if asked to, and must not be cached', async () => {
    const service = inMemoryService();
    const id = await makeMixedBatch(service);
    const response = await service.batchStatus(statusCall(id, { jobs: 'completed' }));
    const { jobs } = batchStatusResponse.parse(response.body);
    expect(jobs.map(({ name }) => name)).toEqual(['field 0']);
    expect(response.headers['Cache-Control']).toBe('no-store');
  });

  it('must not be cached while it contains URLs, and recommends a poll interval until it is final', async () => {
    const service = inMemoryService();
    const id = await makeMixedBatch(service);
    const response = await service.batchStatus(statusCall(id));
    expect(response.headers['Cache-Control']).toBe('no-store');
    expect(response.headers['Retry-After']).toBe('5');
    await service.changeBatch(id, {
      status: 'partial',
      started_at: LATER,
      completed_at: LATER,
      completed_jobs: 1,
    });
    expect((await service.batchStatus(statusCall(id))).headers).not.toHaveProperty('Retry-After');
  });

  it('returns 503 instead of a URL that expires early when there is no valid signing key', async () => {
    const service = inMemoryService();
    const id = await makeMixedBatch(service);
    service.faults.signing = true;
    const response = await service.batchStatus(statusCall(id));
    expect(response.status).toBe(503);
    expect(response.headers['Retry-After']).toBe('5');
    expect(problemBody.parse(response.body).type).toMatch(/signing-key-unavailable$/);
    expect((await service.batchStatus(statusCall(id, { jobs: 'none' }))).status).toBe(200);
  });

  it('gets 304 if it was requested without jobs and is unchanged', async () => {
    const service = inMemoryService();
    const call = statusCall(await createBatchWith(service, 1), { jobs: 'none' });
    const first = await service.batchStatus(call);
    const etag = String(first.headers['ETag']);
    const second = await service.batchStatus({ ...call, headers: { 'if-none-match': etag } });
    expect(second).toMatchObject({ status: 304, text: '' });
    const other = await service.batchStatus({ ...call, headers: { 'if-none-match': '"x"' } });
    expect(other.status).toBe(200);
  });
});

describe('the jobs in a status', () => {
  it('can be limited to failed jobs or omitted', async () => {
    const service = inMemoryService();
    const id = await makeMixedBatch(service);
    const listed = async (jobs: string) => {
      const response = await service.batchStatus(statusCall(id, { jobs }));
      const body = batchStatusResponse.parse(response.body);
      expect(body.total_jobs).toBe(4);
      return body.jobs.map(({ job_index }) => job_index);
    };
    expect(await listed('failed')).toEqual([1]);
    expect(await listed('none')).toEqual([]);
    expect(await listed('all')).toEqual([0, 1, 2, 3]);
  });

  it('are paged without repeats or gaps', async () => {
    const service = inMemoryService();
    const id = await createBatchWith(service, 7);
    const seen: number[] = [];
    let query: Record<string, string> = { limit: '3' };
    for (let pages = 1; ; pages++) {
      const response = await service.batchStatus(statusCall(id, query));
      const body = batchStatusResponse.parse(response.body);
      seen.push(...body.jobs.map(({ job_index }) => job_index));
      expect(body.has_more).toBe(pages < 3);
      if (typeof body.next_cursor !== 'string') break;
      query = { cursor: body.next_cursor };
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('can be limited to changes since a time, with consistent pages', async () => {
    const service = inMemoryService();
    const id = await makeMixedBatch(service);
    const read = async (query: Record<string, string>) =>
      batchStatusResponse.parse((await service.batchStatus(statusCall(id, query))).body);
    const indexesOf = (jobs: readonly { readonly job_index: number }[]) =>
      jobs.map(({ job_index }) => job_index);
    const all = await read({});
    const times = [...new Set(all.jobs.map(({ updated_at }) => updated_at))].sort();
    expect(times.length).toBeGreaterThan(1);
    for (const time of times) {
      const expected = indexesOf(all.jobs.filter(({ updated_at }) => updated_at >= time));
      const changed = await read({ updated_since: time });
      expect(indexesOf(changed.jobs)).toEqual(expected);
      expect(changed.total_jobs).toBe(4);
    }
    const later = new Date(Date.parse(times.at(-1) ?? '') + 1).toISOString();
    expect((await read({ updated_since: later })).jobs).toEqual([]);
    const first = await read({ updated_since: `${times[0]}`, limit: '1' });
    const cursor = `${first.next_cursor}`;
    expect((await service.batchStatus(statusCall(id, { cursor }))).status).toBe(400);
    const second = await read({ updated_since: `${times[0]}`, cursor });
    expect(indexesOf([...first.jobs, ...second.jobs])).toEqual([0, 1]);
  });
});

describe('an ID in upper case', () => {
  it('equals the ID in lower case (RFC 9562, section 4)', async () => {
    const service = inMemoryService();
    const id = await createBatchWith(service, 1);
    const response = await service.batchStatus(statusCall(id.toUpperCase()));
    expect(response.status).toBe(200);
    expect(batchStatusResponse.parse(response.body).batch_id).toBe(id);
    expect(JSON.parse(service.log.at(-1) ?? '').batch_id).toBe(id);
  });
});

describe('a batch that the tenant may not read', () => {
  it('gives the same response whether it is unknown, malformed, foreign or expired', async () => {
    const service = inMemoryService();
    const foreign = await createBatchWith(service, 1, 'beta');
    const own = await createBatchWith(service, 1);
    service.time.now = new Date('2026-04-03T05:06:07.089Z');
    const ids = [foreign, own, '0198c0de-0000-7000-8000-000000000000', 'no-id', own.toUpperCase()];
    const bodies = await Promise.all(
      ids.map(async (id) => {
        const response = await service.batchStatus(statusCall(id));
        expect(response.status).toBe(404);
        const { instance, ...rest } = problemBody.parse(response.body);
        expect(instance).toBe(`/v1/batch/${id}/status`);
        return rest;
      }),
    );
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });
});

describe('the query of the status', () => {
  it.each<[string, Record<string, string | readonly string[]>, readonly string[]]>([
    ['an unknown kind of jobs', { jobs: 'some' }, ['/jobs']],
    [
      'three errors, all reported',
      { jobs: 'some', limit: '0', page: '1' },
      ['/jobs', '/limit', '/page'],
    ],
    ['a limit of 0', { limit: '0' }, ['/limit']],
    ['a limit of 101', { limit: '101' }, ['/limit']],
    ['a limit that is not a number', { limit: 'ten' }, ['/limit']],
    ['page parameters without jobs', { limit: '1', jobs: 'none' }, ['/limit']],
    [
      'updated_since without jobs',
      { updated_since: '2026-01-01T00:00:00Z', jobs: 'none' },
      ['/updated_since'],
    ],
    ['a time without a time zone', { updated_since: '2026-01-01T00:00:00' }, ['/updated_since']],
    ['an invented cursor', { cursor: 'abc' }, ['/cursor']],
    ['a parameter that occurs twice', { limit: ['1', '2'] }, ['/limit']],
    ['an unknown parameter', { page: '1' }, ['/page']],
  ])('is rejected with %s', async (_, query, pointers) => {
    const service = inMemoryService();
    const response = await service.batchStatus(
      statusCall(await createBatchWith(service, 1), query),
    );
    expect(response.status).toBe(400);
    const { errors } = problemBody.parse(response.body);
    expect(errors?.map((error) => error.pointer)).toEqual(pointers);
  });

  it('may have empty parameters, which are ignored', async () => {
    const service = inMemoryService();
    const id = await createBatchWith(service, 3);
    const read = async (query: Record<string, string | readonly string[]>) =>
      batchStatusResponse.parse((await service.batchStatus(statusCall(id, query))).body);
    expect(await read({ cursor: '', limit: '', jobs: '' })).toEqual(await read({}));
    expect((await read({ cursor: '', limit: ['', '1'] })).jobs).toHaveLength(1);
  });

  it('is rejected when the cursor is for another list, batch, tenant or page size', async () => {
    const service = inMemoryService();
    const id = await createBatchWith(service, 3);
    const first = await service.batchStatus(statusCall(id, { limit: '1' }));
    const cursor = String(batchStatusResponse.parse(first.body).next_cursor);
    const other = await createBatchWith(service, 3);
    const foreign = await createBatchWith(service, 3, 'beta');
    const calls = [
      statusCall(id, { cursor, jobs: 'failed' }),
      statusCall(other, { cursor }),
      { ...statusCall(foreign, { cursor }), tenant: 'beta' },
      statusCall(id, { cursor, limit: '2' }),
    ];
    for (const call of calls) expect((await service.batchStatus(call)).status).toBe(400);
    expect((await service.batchStatus(statusCall(id, { cursor, limit: '1' }))).status).toBe(200);
  });
});
