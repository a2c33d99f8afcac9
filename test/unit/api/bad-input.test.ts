import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { problemBody } from '../../../lambdas/api/contract/responses.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { BASE_URL, type Call, REQUEST_ID } from './gateway-event.ts';
import { creationBody, inMemoryService, job } from './service.ts';

interface Case {
  readonly name: string;
  readonly call: Call;
  readonly status: number;
  readonly slug: string;
  /** Pointers of the errors listed, where there are any. */
  readonly pointers?: readonly string[];
  /** Words the client needs to mend it. */
  readonly says?: RegExp;
}

const body = (text: string | Uint8Array, headers: Call['headers'] = {}): Call => ({
  body: text,
  headers: { 'Content-Type': 'application/json', ...headers },
});

const invalid = (name: string, text: string, pointers: readonly string[], says?: RegExp): Case => ({
  name,
  call: body(text),
  status: 422,
  slug: 'validation',
  pointers,
  ...(says ? { says } : {}),
});

const withJob = (members: object) => creationBody({ jobs: [job(members)] });
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const CASES: readonly Case[] = [
  { name: 'no body', call: body(''), status: 400, slug: 'not-json', says: /empty/ },
  { name: 'text', call: body('hello'), status: 400, slug: 'not-json', says: /line 1, column 1;/ },
  {
    name: 'JSON cut short',
    call: body('{"jobs": ['),
    status: 400,
    slug: 'not-json',
    says: /ends in the middle of its JSON, at line 1, column 11/,
  },
  { name: 'two JSON texts', call: body('{}{}'), status: 400, slug: 'not-json' },
  {
    name: 'NaN',
    call: body('{\n  "jobs": NaN}'),
    status: 400,
    slug: 'not-json',
    says: /stops being JSON at line 2, column 11/,
  },
  {
    name: 'a byte order mark',
    call: body(`\ufeff${creationBody()}`),
    status: 400,
    slug: 'not-utf-8',
    says: /byte order mark/,
  },
  {
    name: 'UTF-16',
    call: body(Buffer.from(`\ufeff${creationBody()}`, 'utf16le')),
    status: 400,
    slug: 'not-utf-8',
    says: /is UTF-16.*send UTF-8/,
  },
  {
    name: 'gzip that is not said to be it',
    call: body(gzipSync(creationBody())),
    status: 400,
    slug: 'not-utf-8',
    says: /Content-Encoding: gzip/,
  },
  {
    name: 'bytes that are no UTF-8',
    call: body(Buffer.from([0x22, 0xc3, 0x28, 0x22])),
    status: 400,
    slug: 'not-utf-8',
  },
  {
    name: 'a form',
    call: body('jobs=1', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    status: 415,
    slug: 'media-type',
    says: /application\/json/,
  },
  {
    name: 'another character set',
    call: body(creationBody(), { 'Content-Type': 'application/json; charset=latin1' }),
    status: 415,
    slug: 'media-type',
  },
  {
    name: 'an encoding nobody unpacks',
    call: body(creationBody(), { 'Content-Encoding': 'br' }),
    status: 415,
    slug: 'media-type',
    says: /Content-Encoding: gzip; the content encoding was "br"/,
  },
  {
    name: 'gzip in gzip',
    call: body(gzipSync(gzipSync(creationBody())), { 'Content-Encoding': 'gzip, gzip' }),
    status: 415,
    slug: 'media-type',
  },
  {
    name: 'gzip cut short',
    call: body(gzipSync(creationBody()).subarray(0, -20), { 'Content-Encoding': 'gzip' }),
    status: 400,
    slug: 'not-json',
    says: /gzip/,
  },
  {
    name: 'a small gzip body that unpacks to a gigabyte',
    call: body(Buffer.concat(Array(64).fill(gzipSync(Buffer.alloc(2 ** 24)))), {
      'Content-Encoding': 'gzip',
    }),
    status: 413,
    slug: 'body-too-large',
    says: /4000000/,
  },
  {
    name: 'a body over the limit',
    call: body(creationBody({ metadata: { a: ' '.repeat(LIMITS.bodyBytes) } })),
    status: 413,
    slug: 'body-too-large',
    says: /4000000/,
  },
  invalid('JSON that nests too deep', nested(LIMITS.jsonDepth + 1), [''], /64/),
  invalid('a bomb of brackets', '['.repeat(500_000), [''], /64/),
  invalid('an array', '[]', ['']),
  invalid('null', 'null', ['']),
  invalid('no jobs', '{}', ['/jobs'], /missing.*1 to 1000/),
  invalid('jobs that are no array', '{"jobs": {}}', ['/jobs'], /array.*got an object/),
  invalid('an empty list of jobs', '{"jobs": []}', ['/jobs'], /1 to 1000/),
  invalid(
    'too many jobs',
    JSON.stringify({ jobs: Array.from({ length: 1001 }, () => job()) }),
    ['/jobs'],
    /1 to 1000 jobs; got an array of 1001/,
  ),
  invalid('an unknown member', creationBody({ job: 1 }), ['/job'], /allowed are jobs, metadata/),
  invalid('a member named __proto__', '{"jobs":[{"polygon":{},"year":2020}],"__proto__":{}}', [
    '/__proto__',
  ]),
  invalid('a member with a slash', creationBody({ 'a/b~c': 1 }), ['/a~1b~0c']),
  invalid(
    'a member twice',
    '{"jobs":[],"jobs":[{"polygon":{},"year":2020}]}',
    ['/jobs'],
    /more than once/,
  ),
  invalid('a job that is no object', '{"jobs":[5]}', ['/jobs/0'], /got 5/),
  invalid('a job without a polygon', '{"jobs":[{"year":2020}]}', ['/jobs/0/polygon'], /GeoJSON/),
  invalid('a polygon that is text', withJob({ polygon: 'POLYGON((0 0))' }), ['/jobs/0/polygon']),
  invalid('a polygon that is null', withJob({ polygon: null }), ['/jobs/0/polygon'], /got null/),
  invalid('a polygon that is an array', withJob({ polygon: [] }), ['/jobs/0/polygon']),
  invalid('a job without a year', '{"jobs":[{"polygon":{}}]}', ['/jobs/0/year'], /a whole number/),
  invalid('a year as text', withJob({ year: '2020' }), ['/jobs/0/year'], /got "2020"/),
  invalid('half a year', withJob({ year: 2020.5 }), ['/jobs/0/year'], /got 2020\.5/),
  invalid('a year too large to count exactly', withJob({ year: 2 ** 53 }), ['/jobs/0/year']),
  invalid('an infinite year', '{"jobs":[{"polygon":{},"year":1e400}]}', ['/jobs/0/year']),
  invalid('an unknown member of a job', withJob({ yaer: 1 }), ['/jobs/0/yaer'], /polygon, year/),
  invalid('a name too long', withJob({ name: 'ü'.repeat(256) }), ['/jobs/0/name'], /255/),
  invalid('half a character in a name', '{"jobs":[{"polygon":{},"year":2020,"name":"\\ud83d"}]}', [
    '/jobs/0/name',
  ]),
  invalid('a model that is a number', withJob({ model: 1 }), ['/jobs/0/model'], /meuse-soc/),
  invalid('metadata that is text', creationBody({ metadata: 'x' }), ['/metadata'], /JSON object/),
  invalid('metadata that is a list', creationBody({ metadata: [] }), ['/metadata']),
  invalid('metadata that is null', creationBody({ metadata: null }), ['/metadata'], /got null/),
  invalid(
    'metadata over the limit',
    creationBody({ metadata: { a: 'ü'.repeat(LIMITS.metadataBytes / 2) } }),
    ['/metadata'],
    /65536 bytes.*got 65544/,
  ),
  invalid('a webhook_url that is a number', creationBody({ webhook_url: 1 }), ['/webhook_url']),
  invalid(
    'a webhook_url too long',
    creationBody({ webhook_url: `https://a.example/${'a'.repeat(2048)}` }),
    ['/webhook_url'],
    /2048/,
  ),
  invalid('an empty secret', creationBody({ webhook_secret: '' }), ['/webhook_secret'], /1024/),
  invalid('a secret too long', creationBody({ webhook_secret: 'ü'.repeat(513) }), [
    '/webhook_secret',
  ]),
  invalid('webhook_jobs of another kind', creationBody({ webhook_jobs: 'some' }), [
    '/webhook_jobs',
  ]),
  invalid(
    'everything wrong at once',
    '{"jobs":[{"year":"x","polygon":1,"z":1}],"metadata":1,"webhook_url":"ftp://a","q":1}',
    ['/jobs/0/polygon', '/jobs/0/year', '/jobs/0/z', '/metadata', '/webhook_url', '/q'],
  ),
];

describe('a creation request that is not valid', () => {
  it.each(CASES)('$name: is refused, says why, and changes nothing', async (bad) => {
    const service = inMemoryService();
    const answer = await service.create(bad.call);
    expect(answer.status).toBe(bad.status);
    expect(answer.headers['Content-Type']).toBe('application/problem+json');
    const problem = problemBody.parse(answer.body);
    expect(problem.type).toBe(`${BASE_URL}/docs/problems/${bad.slug}`);
    expect(problem.status).toBe(bad.status);
    expect(problem.instance).toBe('/v1/batch');
    expect(problem.request_id).toBe(REQUEST_ID);
    if (bad.pointers !== undefined) {
      const pointers = problem.errors?.map(({ pointer }) => pointer) ?? [];
      expect(pointers.toSorted()).toEqual([...bad.pointers].sort());
    }
    if (bad.says !== undefined) expect(answer.text.replaceAll('\\"', '"')).toMatch(bad.says);
    expect(service.writes.count).toBe(0);
  });

  it('lists twenty errors and says how many there are', async () => {
    const service = inMemoryService();
    const jobs = Array.from({ length: 100 }, () => ({}));
    const problem = problemBody.parse(
      (await service.create({ body: creationBody({ jobs }) })).body,
    );
    expect(problem.errors).toHaveLength(20);
    expect(problem.detail).toContain('200 things');
  });

  it.each([
    ['of tildes', '~'],
    ['of DEL characters', '\u007f'],
    ['of control characters', '\\u0001'],
    ['of characters of four bytes', '🌍'],
  ])(
    'keeps the answer short when names are nearly as long as a body may be: %s',
    async (_, text) => {
      const service = inMemoryService();
      const name = text.repeat(Math.floor(3_900_000 / Buffer.byteLength(text)));
      for (const hostile of [
        `{"jobs":[{"polygon":{},"year":2020}],"${name}":1}`,
        `{"jobs":[{"polygon":{},"year":2020,"${name}":1}]}`,
      ]) {
        const answer = await service.create(body(hostile));
        expect(answer.status).toBe(422);
        expect(Buffer.byteLength(answer.text)).toBeLessThan(64_000);
        // Half of a character would be written as an escape.
        expect(answer.text).not.toContain('\\ud');
        expect(problemBody.parse(answer.body).errors?.[0]?.pointer).toMatch(/^\/.*…$/su);
      }
    },
  );

  it('never repeats a secret, whatever is wrong with it or with the rest', async () => {
    const service = inMemoryService();
    const secret = 'tell nobody';
    const texts = [
      creationBody({ webhook_secret: secret, q: 1 }),
      creationBody({ webhook_secret: [secret] }),
      creationBody({ webhook_secret: secret.repeat(200) }),
      `{"webhook_secret": "${secret}" "jobs"}`,
    ];
    for (const text of texts) {
      const answer = await service.create(body(text));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain(secret);
    }
  });
});

describe('a gzip bomb', () => {
  it('is unpacked up to the limit and not a byte further', async () => {
    // Damaged where some 6 MB are unpacked: whoever went on past 4 MB would call it damaged.
    const bomb = gzipSync(Buffer.alloc(2 * LIMITS.bodyBytes));
    bomb.fill(0xff, Math.floor(bomb.length * 0.75));
    expect(() => gunzipSync(bomb)).toThrow();
    const { create } = inMemoryService();
    const answer = await create(body(bomb, { 'Content-Encoding': 'gzip' }));
    expect(answer.status).toBe(413);
  });
});

describe('a query parameter that an operation has not', () => {
  it('is refused by name, also where there are none', async () => {
    const service = inMemoryService();
    const query = { dry_run: '1' };
    for (const answer of [
      await service.create({ body: creationBody(), query }),
      await service.health({ query }),
    ]) {
      expect(answer.status).toBe(400);
      expect(problemBody.parse(answer.body).errors).toEqual([
        { pointer: '/dry_run', message: 'is not a query parameter; none is allowed here' },
      ]);
    }
    const odd = await service.health({ query: { 'a/b~c': '1' } });
    expect(problemBody.parse(odd.body).errors?.[0]?.pointer).toBe('/a~1b~0c');
    expect(service.writes.count).toBe(0);
    expect((await service.health()).status).toBe(200);
  });
});

describe('a creation request that is valid', () => {
  it.each([
    ['without a content type', {}],
    ['as GeoJSON', { 'content-type': 'application/geo+json' }],
    ['with a character set', { 'Content-Type': 'application/json; charset="UTF-8"' }],
  ])('is taken %s', async (_, headers) => {
    const service = inMemoryService();
    expect((await service.create({ body: creationBody(), headers })).status).toBe(202);
  });

  it.each([
    ['packed', gzipSync(creationBody()), 'gzip'],
    ['packed, under the old name', gzipSync(creationBody()), 'X-GZIP'],
    ['unpacked by the gateway, which left the header', creationBody(), 'gzip'],
    ['as it is', creationBody(), 'identity'],
  ])('is taken %s', async (_, packed, encoding) => {
    const service = inMemoryService();
    const answer = await service.create({
      body: packed,
      headers: { 'Content-Encoding': encoding },
    });
    expect(answer.status).toBe(202);
    const [request] = service.requests.values();
    expect(JSON.parse(Buffer.from(request?.text ?? []).toString())).toHaveLength(1);
  });

  it('may have a polygon that only geometry can judge', async () => {
    const service = inMemoryService();
    expect((await service.create({ body: withJob({ polygon: {} }) })).status).toBe(202);
  });

  it.each([-5000, 0, 12_024, Number.MAX_SAFE_INTEGER])(
    'may ask for the year %s: a model judges that',
    async (year) => {
      const service = inMemoryService();
      expect((await service.create({ body: withJob({ year }) })).status).toBe(202);
    },
  );

  it('may use every limit in full', async () => {
    const service = inMemoryService();
    const text = creationBody({
      jobs: [job({ name: '🌍'.repeat(255), year: Number.MAX_SAFE_INTEGER })],
      metadata: { a: ' '.repeat(LIMITS.metadataBytes - 8) },
      webhook_secret: 'ü'.repeat(512),
    });
    expect((await service.create({ body: text })).status).toBe(202);
  });
});
