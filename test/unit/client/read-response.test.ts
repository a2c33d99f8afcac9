import { expect, it } from 'vitest';
import { readResponse } from '../../../client/src/download/read-response.ts';

const ETAG = '"9b2c-1"';
const part = (range: string, etag = ETAG) => ({
  status: 206,
  headers: { 'Content-Range': range, ETag: etag },
});

it.each([
  ['the whole file', { status: 200, headers: { ETag: ETAG, 'Content-Length': '9' } }, 'bytes'],
  ['the rest', part('bytes 5-8/9'), 'bytes'],
  ['the rest of a file of unknown size', part('bytes 5-8/*'), 'bytes'],
  ["a proxy's weak ETag", { status: 200, headers: { ETag: `W/${ETAG}` } }, 'bytes'],
  ['another range', part('bytes 4-8/9'), 'transient'],
  ['a range without a Content-Range header', { status: 206, headers: { ETag: ETAG } }, 'transient'],
  ['a range of other content', part('bytes 5-8/9', '"other"'), 'final'],
  ['other content', { status: 200, headers: { ETag: '"other"' } }, 'final'],
  ['a range that does not exist', { status: 416, headers: {} }, 'final'],
  ["a proxy's page", { status: 200, headers: {} }, 'transient'],
  ['a throttling bucket', { status: 503, headers: {} }, 'transient'],
  ['a proxy’s limit', { status: 429, headers: {} }, 'transient'],
  ['an expired URL', { status: 403, headers: {} }, 'expired'],
  ['a deleted file', { status: 404, headers: {} }, 'final'],
])('the response to a download is classified: %s', (_, { status, headers }, kind) => {
  const present = new Headers(headers as Record<string, string>);
  expect(readResponse({ status, headers: present }, ETAG, 5).kind).toBe(kind);
});
