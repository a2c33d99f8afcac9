import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { createRequest, jobRequest } from '../../../lambdas/api/operations/create-request.ts';
import { estimateResponse } from '../../../lambdas/api/operations/estimate-response.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import {
  creationBody,
  inMemoryService,
  job,
  jobCall,
  POLYGON,
  statusCall,
} from '../../support/api/service.ts';
import { body, expectRefusal, type Refusal } from './refusal.ts';

const makeInvalid = (
  name: string,
  text: string,
  pointers: readonly string[],
  says?: RegExp,
): Refusal => ({
  name,
  call: body(text),
  status: 422,
  slug: 'validation',
  pointers,
  ...(says ? { says } : {}),
});

const makeBodyWithJob = (members: object) => creationBody({ jobs: [job(members)] });
const nestLists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const INVALID: readonly Refusal[] = [
  makeInvalid('JSON that is nested too deeply', nestLists(1_001), [''], /1000 levels/),
  makeInvalid('millions of open brackets', '['.repeat(500_000), [''], /1000 levels/),
  makeInvalid(
    'metadata that is nested too deeply',
    `{"jobs":[{"polygon":{},"year":2020}],"metadata":{"a":${nestLists(LIMITS.jsonDepth)}}}`,
    ['/metadata'],
    /64 levels/,
  ),
  makeInvalid(
    'properties that are nested too deeply',
    `{"jobs":[{"polygon":{},"year":2020,"properties":{"a":${nestLists(LIMITS.jsonDepth)}}}]}`,
    ['/jobs/0/properties'],
    /64 levels/,
  ),
  makeInvalid('an array', '[]', ['']),
  makeInvalid('null', 'null', ['']),
  makeInvalid('no jobs', '{}', ['/jobs'], /missing.*1 to 1000/),
  makeInvalid(
    'a FeatureCollection',
    '{"type":"FeatureCollection","features":[{"type":"Feature"}],"name":"fields"}',
    [''],
    /"jobs".*"polygon".*"year"/,
  ),
  makeInvalid('a collection together with jobs', creationBody({ type: 'FeatureCollection' }), [
    '/type',
  ]),
  makeInvalid('jobs that are not an array', '{"jobs": {}}', ['/jobs'], /array.*got an object/),
  makeInvalid('an empty list of jobs', '{"jobs": []}', ['/jobs'], /1 to 1000/),
  makeInvalid(
    'too many jobs',
    JSON.stringify({ jobs: Array.from({ length: 1001 }, () => job()) }),
    ['/jobs'],
    /1 to 1000 jobs; got an array of length 1001/,
  ),
  makeInvalid(
    'an unknown field',
    creationBody({ job: 1 }),
    ['/job'],
    /allowed: jobs, name, metadata/,
  ),
  makeInvalid('a member named __proto__', '{"jobs":[{"polygon":{},"year":2020}],"__proto__":{}}', [
    '/__proto__',
  ]),
  makeInvalid('a member with a slash', creationBody({ 'a/b~c': 1 }), ['/a~1b~0c']),
  makeInvalid(
    'a member that occurs twice',
    '{"jobs":[],"jobs":[{"polygon":{},"year":2020}]}',
    ['/jobs'],
    /more than once/,
  ),
  makeInvalid('a job that is not an object', '{"jobs":[5]}', ['/jobs/0'], /got 5/),
  makeInvalid(
    'a job without a polygon',
    '{"jobs":[{"year":2020}]}',
    ['/jobs/0/polygon'],
    /GeoJSON/,
  ),
  makeInvalid(
    'a job without a year',
    '{"jobs":[{"polygon":{}}]}',
    ['/jobs/0/year'],
    /a whole number/,
  ),
  makeInvalid('a year as text', makeBodyWithJob({ year: '2020' }), ['/jobs/0/year'], /got "2020"/),
  makeInvalid(
    'a year that is not whole',
    makeBodyWithJob({ year: 2020.5 }),
    ['/jobs/0/year'],
    /got 2020\.5/,
  ),
  ...[2 ** 53, -1e20, '1e20', '1e400'].map((year) =>
    makeInvalid(
      `the year ${year}`,
      `{"jobs":[{"polygon":{},"year":${year}}]}`,
      ['/jobs/0/year'],
      /out of range: must be a year from 1900 to 2100/,
    ),
  ),
  makeInvalid(
    'an unknown field of a job',
    makeBodyWithJob({ yaer: 1 }),
    ['/jobs/0/yaer'],
    /polygon, year/,
  ),
  makeInvalid(
    'a name that is too long',
    makeBodyWithJob({ name: 'ü'.repeat(256) }),
    ['/jobs/0/name'],
    /255/,
  ),
  makeInvalid(
    'a lone surrogate in a name',
    '{"jobs":[{"polygon":{},"year":2020,"name":"\\ud83d"}]}',
    ['/jobs/0/name'],
  ),
  makeInvalid(
    'a model that is a number',
    makeBodyWithJob({ model: 1 }),
    ['/jobs/0/model'],
    /meuse-soc/,
  ),
  makeInvalid('a batch name that is a number', creationBody({ name: 7 }), ['/name'], /string/),
  makeInvalid(
    'a batch name that is too long',
    creationBody({ name: 'ü'.repeat(256) }),
    ['/name'],
    /255/,
  ),
  makeInvalid(
    'metadata that is text',
    creationBody({ metadata: 'x' }),
    ['/metadata'],
    /JSON object/,
  ),
  makeInvalid('metadata that is a list', creationBody({ metadata: [] }), ['/metadata']),
  makeInvalid(
    'metadata over the limit',
    creationBody({ metadata: { a: 'ü'.repeat(LIMITS.metadataBytes / 2) } }),
    ['/metadata'],
    /65536 bytes.*got 65544/,
  ),
  makeInvalid(
    'properties that are text',
    makeBodyWithJob({ properties: 'x' }),
    ['/jobs/0/properties'],
    /object/,
  ),
  makeInvalid('properties that are a list', makeBodyWithJob({ properties: [] }), [
    '/jobs/0/properties',
  ]),
  makeInvalid(
    'properties over the limit',
    creationBody({ jobs: [job(), job({ properties: { a: 'ü'.repeat(1021) } })] }),
    ['/jobs/1/properties'],
    /2048 bytes.*got 2050/,
  ),
  makeInvalid('a webhook_url that is a number', creationBody({ webhook_url: 1 }), ['/webhook_url']),
  makeInvalid(
    'a webhook_url that is too long',
    creationBody({ webhook_url: `https://a.example/${'a'.repeat(2048)}` }),
    ['/webhook_url'],
    /2048/,
  ),
  makeInvalid(
    'an empty secret',
    creationBody({ webhook_secret: '' }),
    ['/webhook_secret'],
    /omit it, or send null/,
  ),
  makeInvalid(
    'an empty webhook_url with a secret',
    creationBody({ webhook_url: '', webhook_secret: 'correct horse' }),
    ['/webhook_url'],
    /absolute URL/,
  ),
  makeInvalid('a secret that is too long', creationBody({ webhook_secret: 'ü'.repeat(513) }), [
    '/webhook_secret',
  ]),
  makeInvalid('webhook_jobs with an unknown value', creationBody({ webhook_jobs: 'some' }), [
    '/webhook_jobs',
  ]),
  makeInvalid(
    'several errors together',
    '{"jobs":[{"year":"x","z":1}],"metadata":1,"webhook_url":"ftp://a","q":1}',
    ['/jobs/0/polygon', '/jobs/0/year', '/jobs/0/z', '/metadata', '/webhook_url', '/q'],
  ),
];

describe('an invalid creation request', () => {
  it.each(INVALID)('is rejected with a reason and changes nothing: $name', expectRefusal);

  it.each([
    ['one hundred errors', 50, /\b100\b/],
    ['the first hundred of many errors', 51, /more than 100\b.*\b100\b/],
  ])('gets a response that lists %s', async (_, jobs, says) => {
    const service = inMemoryService();
    const empty = Array.from({ length: jobs }, () => ({}));
    const response = await service.create({ body: creationBody({ jobs: empty }) });
    const problem = problemBody.parse(response.body);
    expect(problem.errors).toHaveLength(100);
    expect(problem.detail).toMatch(says);
  });

  it.each([
    ['tildes', '~'],
    ['DEL characters', '\u007f'],
    ['control characters', '\\u0001'],
    ['four-byte characters', '🌍'],
  ])(
    'gets a short response even if names are nearly as long as the body limit: %s',
    async (_, text) => {
      const service = inMemoryService();
      const name = text.repeat(Math.floor(3_900_000 / Buffer.byteLength(text)));
      for (const hostile of [
        `{"jobs":[{"polygon":{},"year":2020}],"${name}":1}`,
        `{"jobs":[{"polygon":{},"year":2020,"${name}":1}]}`,
      ]) {
        const response = await service.create(body(hostile));
        expect(response.status).toBe(422);
        expect(Buffer.byteLength(response.text)).toBeLessThan(64_000);
        // JSON.stringify writes a lone surrogate as an escape.
        expect(response.text).not.toContain('\\ud');
        expect(problemBody.parse(response.body).errors?.[0]?.pointer).toMatch(/^\/.*…$/su);
      }
    },
  );

  it('does not get its secret back in the error', async () => {
    const service = inMemoryService();
    const secret = 'tell nobody';
    const texts = [
      creationBody({ webhook_secret: secret, q: 1 }),
      creationBody({ webhook_secret: [secret] }),
      creationBody({ webhook_secret: secret.repeat(200) }),
      `{"webhook_secret": "${secret}" "jobs"}`,
    ];
    for (const text of texts) {
      const response = await service.create(body(text));
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.text).not.toContain(secret);
    }
  });
});

describe('an unknown query parameter', () => {
  it('is named in the error, even by an operation without parameters', async () => {
    const service = inMemoryService();
    const query = { dry_run: '1' };
    for (const response of [
      await service.create({ body: creationBody(), query }),
      await service.health({ query }),
    ]) {
      expect(response.status).toBe(400);
      expect(problemBody.parse(response.body).errors).toEqual([
        {
          pointer: '/dry_run',
          message: 'is not a query parameter; no parameters are allowed here',
        },
      ]);
    }
    const odd = await service.health({ query: { 'a/b~c': '1' } });
    expect(problemBody.parse(odd.body).errors?.[0]?.pointer).toBe('/a~1b~0c');
    expect(service.writes.count).toBe(0);
    expect((await service.health()).status).toBe(200);
  });
});

describe('a valid creation request', () => {
  it.each([[{}], [null], ['POLYGON((0 0))'], [7], [true], [[]], [[{ type: 1 }]]])(
    'may have the polygon %j: only its job fails, and it is not charged',
    async (polygon) => {
      const service = inMemoryService();
      const jobs = [job(), job({ polygon })];
      expect((await service.create({ body: creationBody({ jobs }) })).status).toBe(202);
      const { body } = await service.estimate({ body: creationBody({ jobs }) });
      const estimate = estimateResponse.parse(body);
      expect(estimate).toMatchObject({ total_jobs: 2, failing_jobs: 1 });
      expect(estimate.jobs[1]).toMatchObject({
        hectares: 0,
        error_code: expect.stringMatching(/^geometry_/),
      });
    },
  );

  it.each([LIMITS.jsonDepth, 900])(
    'may have a polygon that is nested %d levels deep: only its job fails',
    async (levels) => {
      const polygon = `{"type":"Polygon","coordinates":${nestLists(levels)}}`;
      const body = `{"jobs":[{"polygon":${polygon},"year":2020}]}`;
      expect((await inMemoryService().create({ body })).status).toBe(202);
      const estimate = estimateResponse.parse((await inMemoryService().estimate({ body })).body);
      expect(estimate.jobs[0]?.error_code).toBe('geometry_malformed');
    },
  );

  it.each([-5000, 0, 12_024, Number.MAX_SAFE_INTEGER])(
    'may ask for the year %s: only its job fails',
    async (year) => {
      const service = inMemoryService();
      const body = makeBodyWithJob({ year });
      expect((await service.create({ body })).status).toBe(202);
      const estimate = estimateResponse.parse((await service.estimate({ body })).body);
      expect(estimate.jobs[0]?.error_code).toBe('year_not_covered');
    },
  );

  it('may have null for every optional field, which counts as absent', async () => {
    const optional = (request: typeof createRequest | typeof jobRequest) =>
      Object.entries(request.shape).filter(([, field]) => field.safeParse(undefined).success);
    const nulls = (request: typeof createRequest | typeof jobRequest) =>
      Object.fromEntries(optional(request).map(([name]) => [name, null]));
    const properties = { crop: 'wheat' };
    const polygon = { type: 'Feature', id: 'A-17', properties, geometry: POLYGON };
    const jobs = [job({ ...nulls(jobRequest), polygon })];
    const service = inMemoryService();
    const created = await service.create({
      body: creationBody({ ...nulls(createRequest), jobs }),
      headers: { 'Webhook-Secret': 'of no webhook' },
    });
    expect(created.status).toBe(202);
    const { batch_id, job_ids } = creationResponse.parse(created.body);
    const { body } = await service.batchStatus(statusCall(batch_id));
    expect(body).toMatchObject({ name: null, metadata: null, jobs: [{ name: 'A-17' }] });
    const detail = await service.jobStatus(jobCall(batch_id, job_ids[0] ?? ''));
    expect(detail.body).toMatchObject({ properties, model: null });
  });

  it('may have the longest name, metadata and secret', async () => {
    const service = inMemoryService();
    const text = creationBody({
      jobs: [job({ name: '🌍'.repeat(255), year: Number.MAX_SAFE_INTEGER })],
      metadata: { a: ' '.repeat(LIMITS.metadataBytes - 8) },
      webhook_secret: 'ü'.repeat(512),
    });
    expect((await service.create({ body: text })).status).toBe(202);
  });
});
