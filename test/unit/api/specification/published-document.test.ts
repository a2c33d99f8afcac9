import { describe, expect, it } from 'vitest';
import example from '../../../../lambdas/api/specification/completion-webhook.example.json' with {
  type: 'json',
};
import { openApiDocument } from '../../../../lambdas/api/specification/document.ts';
import { type Exchange, judgeOf } from '../../../e2e/contract/published-document.ts';

const base = { baseUrl: 'https://soil.example', version: '1.2.3' };
const judge = judgeOf(openApiDocument({ deployment: 'v2', ...base }));

const HEALTH = { status: 'ok', version: '1.2.3', deployment: 'v2' };

function exchange(
  method: string,
  path: string,
  status: number,
  json: unknown,
  type = 'application/json',
): Exchange {
  const headers = new Headers({ 'content-type': type });
  return { method, path, body: undefined, answer: { status, headers, text: '', json } };
}

describe('an exchange that matches the document', () => {
  it.each([
    ['a response', exchange('GET', '/health', 200, HEALTH)],
    ['its headers alone', exchange('HEAD', '/health', 200, undefined)],
    ['the methods of an address', exchange('OPTIONS', '/health', 204, undefined, '')],
  ])('is found right: %s', (_, right) => {
    expect(judge.exchange(right)).toEqual([]);
  });
});

describe('a delivery', () => {
  it('is checked against the document', () => {
    expect(judge.delivery(example)).toEqual([]);
    expect(judge.delivery({ ...example, total_jobs: '2' })).toHaveLength(1);
  });
});

describe('an exchange that contradicts the document', () => {
  const problem = (slug: string, status: number) => ({
    type: `https://soil.example/docs/problems/${slug}`,
    title: 't',
    status,
    detail: 'd',
    request_id: 'r',
  });
  const json = 'application/problem+json';
  it.each([
    ['a member more', exchange('GET', '/health', 200, { ...HEALTH, more: 1 }), /additional/],
    ['an undocumented status', exchange('GET', '/health', 201, HEALTH), /status 201/],
    ['another media type', exchange('GET', '/health', 200, HEALTH, 'text/plain'), /text\/plain/],
    ['an undocumented parameter', exchange('GET', '/health?x=1', 200, HEALTH), /parameter x/],
    ['an undocumented path', exchange('GET', '/v1/none', 200, {}), /answered with 200/],
    ['an undocumented method', exchange('PUT', '/health', 404, {}), /answered with 404/],
    [
      'a problem that another operation has',
      exchange('GET', '/v1/limits', 401, problem('batch-not-found', 401), json),
      /pattern/,
    ],
    [
      'a problem whose status is not the response’s',
      exchange('GET', '/v1/limits', 401, problem('unauthorized', 403), json),
      /constant/,
    ],
    ['a missing Location', exchange('POST', '/v1/batch', 202, {}), /Location/],
  ])('is found out: %s', (_, wrong, message) => {
    expect(judge.exchange(wrong).join('; ')).toMatch(message);
  });

  it('includes accepting a body that the document forbids', () => {
    const accepted = exchange('POST', '/v1/batch', 202, {});
    expect(judge.exchange({ ...accepted, body: { jobs: [] } }).join('; ')).toMatch(/fewer than 1/);
  });
});
