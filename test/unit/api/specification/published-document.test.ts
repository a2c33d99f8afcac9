import { describe, expect, it } from 'vitest';
import example from '../../../../lambdas/api/operations/examples/completion-webhook.json' with {
  type: 'json',
};
import { openApiDocument } from '../../../../lambdas/api/specification/document.ts';
import { createContract, type Exchange } from '../../../support/api/published-document.ts';

const base = { baseUrl: 'https://soil.example', version: '1.2.3' };
const contract = createContract(openApiDocument({ deployment: 'v2', ...base }));

const HEALTH = { status: 'ok', version: '1.2.3', deployment: 'v2' };

function exchange(
  method: string,
  path: string,
  status: number,
  json: unknown,
  type = 'application/json',
): Exchange {
  const headers = new Headers({ 'content-type': type });
  return { method, path, body: undefined, response: { status, headers, text: '', json } };
}

describe('an exchange that matches the document', () => {
  it.each([
    ['a response', exchange('GET', '/health', 200, HEALTH)],
    ['headers without a body', exchange('HEAD', '/health', 200, undefined)],
    ['the methods of a path', exchange('OPTIONS', '/health', 204, undefined, '')],
  ])('has no violations: %s', (_, right) => {
    expect(contract.checkExchange(right)).toEqual([]);
  });
});

describe('a delivery', () => {
  it('is checked against the document', () => {
    expect(contract.checkDelivery(example)).toEqual([]);
    expect(contract.checkDelivery({ ...example, total_jobs: '2' })).toHaveLength(1);
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
    ['an additional field', exchange('GET', '/health', 200, { ...HEALTH, more: 1 }), /additional/],
    ['an undocumented status', exchange('GET', '/health', 201, HEALTH), /status 201/],
    ['another media type', exchange('GET', '/health', 200, HEALTH, 'text/plain'), /text\/plain/],
    ['an undocumented parameter', exchange('GET', '/health?x=1', 200, HEALTH), /parameter x/],
    ['an undocumented path', exchange('GET', '/v1/none', 200, {}), /gets 200/],
    ['an undocumented method', exchange('PUT', '/health', 404, {}), /gets 404/],
    [
      'a problem of another operation',
      exchange('GET', '/v1/limits', 401, problem('batch-not-found', 401), json),
      /does not list the problem batch-not-found/,
    ],
    [
      'a problem whose status is not the response’s',
      exchange('GET', '/v1/limits', 401, problem('unauthorized', 403), json),
      /the body has the status 403/,
    ],
    ['a missing Location', exchange('POST', '/v1/batch', 202, {}), /Location/],
  ])('is detected: %s', (_, wrong, message) => {
    expect(contract.checkExchange(wrong).join('; ')).toMatch(message);
  });

  it('is detected if a body that the document forbids is accepted, unless only the geometry is invalid', () => {
    const accepted = exchange('POST', '/v1/batch', 202, {});
    const found = (body: unknown) => contract.checkExchange({ ...accepted, body }).join('; ');
    expect(found({ jobs: [] })).toMatch(/fewer than 1/);
    const right = { polygon: { type: 'Polygon', coordinates: [] }, year: 2024 };
    expect(found({ jobs: [right] })).not.toMatch(/polygon/);
    expect(found({ jobs: [{ ...right, polygon: undefined }] })).toMatch(/'polygon'/);
    expect(found({ jobs: [{ ...right, year: 'x' }] })).toMatch(/year/);
  });
});
