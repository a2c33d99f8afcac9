import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { creationBody, inMemoryService } from '../../support/api/service.ts';
import { body, expectRefusal, type Refusal } from './refusal.ts';

const UNREADABLE: readonly Refusal[] = [
  { name: 'no body', call: body(''), status: 400, slug: 'not-json', says: /empty/ },
  { name: 'text', call: body('hello'), status: 400, slug: 'not-json', says: /line 1, column 1;/ },
  {
    name: 'JSON cut short',
    call: body('{"jobs": ['),
    status: 400,
    slug: 'not-json',
    says: /ends before .* line 1, column 11/,
  },
  { name: 'two JSON texts', call: body('{}{}'), status: 400, slug: 'not-json' },
  {
    name: 'NaN',
    call: body('{\n  "jobs": NaN}'),
    status: 400,
    slug: 'not-json',
    says: /not valid JSON at line 2, column 11/,
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
    says: /UTF-16.*UTF-8/,
  },
  {
    name: 'gzip without a Content-Encoding header',
    call: body(gzipSync(creationBody())),
    status: 400,
    slug: 'not-utf-8',
    says: /Content-Encoding: gzip/,
  },
  {
    name: 'bytes that are not UTF-8',
    call: body(Buffer.from([0x22, 0xc3, 0x28, 0x22])),
    status: 400,
    slug: 'not-utf-8',
  },
  {
    name: 'form data',
    call: body('jobs=1', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    status: 415,
    slug: 'media-type',
    says: /application\/json/,
  },
  {
    name: 'an unsupported character set',
    call: body(creationBody(), { 'Content-Type': 'application/json; charset=latin1' }),
    status: 415,
    slug: 'media-type',
  },
  {
    name: 'an unsupported content encoding',
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
];

describe('an unreadable body', () => {
  it.each(UNREADABLE)('is rejected with a reason and changes nothing: $name', expectRefusal);
});

describe('a gzip bomb', () => {
  it('is decompressed only up to the size limit', async () => {
    // Invalid after about 6 MB of output: reading on past the limit of 4 MB would report invalid gzip instead.
    const bomb = gzipSync(Buffer.alloc(2 * LIMITS.bodyBytes));
    bomb.fill(0xff, Math.floor(bomb.length * 0.75));
    expect(() => gunzipSync(bomb)).toThrow();
    const { create } = inMemoryService();
    const response = await create(body(bomb, { 'Content-Encoding': 'gzip' }));
    expect(response.status).toBe(413);
  });
});

describe('a readable body', () => {
  it.each([
    ['without a content type', {}],
    ['as GeoJSON', { 'content-type': 'application/geo+json' }],
    ['with a character set', { 'Content-Type': 'application/json; charset="UTF-8"' }],
  ])('is accepted %s', async (_, headers) => {
    const service = inMemoryService();
    expect((await service.create({ body: creationBody(), headers })).status).toBe(202);
  });

  it.each([
    ['compressed', gzipSync(creationBody()), 'gzip'],
    ['compressed, with the old name of the encoding', gzipSync(creationBody()), 'X-GZIP'],
    ['decompressed by the gateway, which kept the header', creationBody(), 'gzip'],
    ['uncompressed', creationBody(), 'identity'],
  ])('is accepted %s', async (_, packed, encoding) => {
    const service = inMemoryService();
    const response = await service.create({
      body: packed,
      headers: { 'Content-Encoding': encoding },
    });
    expect(response.status).toBe(202);
    const id = creationResponse.parse(response.body).batch_id;
    expect(await service.requests.entries(id)).toHaveLength(1);
  });
});
