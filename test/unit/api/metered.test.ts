import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dynamoRequestPaces } from '../../../lambdas/adapters/dynamodb/request-paces.ts';
import type { Operation } from '../../../lambdas/api/http/handle.ts';
import { createWeigher, meterOperation } from '../../../lambdas/api/http/metered.ts';
import { Problem } from '../../../lambdas/api/http/problem.ts';
import { uncached } from '../../../lambdas/api/http/response.ts';
import { routeNamed } from '../../../lambdas/api/routes.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import type { RequestPaces } from '../../../lambdas/domain/admission/request-rate.ts';
import { handle } from '../../../local/dev/handle.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';
import { type Call, gatewayEvent } from '../../support/api/gateway-event.ts';

const NOW = new Date('2026-03-04T05:06:07.089Z');

const makePaces = () => dynamoRequestPaces(inMemoryTable(() => NOW));

/** @param perMinute the tenant's request rate; the default allows one request every ten seconds */
function makeLimited(operation: Operation, paces: RequestPaces = makePaces(), perMinute = 6) {
  const failures: unknown[] = [];
  const ports = { paces, clock: () => NOW, onFailure: (error: unknown) => failures.push(error) };
  const handler = handle(
    routeNamed('usage'),
    () => meterOperation(ports, operation),
    () => {},
  );
  const call = async (made: Call = {}) => {
    const event = gatewayEvent(made);
    const { authorizer } = event.requestContext;
    if (authorizer) authorizer['requests_per_minute'] = String(perMinute);
    return handler(event);
  };
  return { call, failures };
}

describe.each(['GET', 'HEAD', 'POST'])('a %s operation behind a key', (method) => {
  it('returns 429 with the seconds to wait once its tenant exceeds the rate', async () => {
    const { call } = makeLimited(async () => uncached(200, {}));
    expect((await call({ method })).statusCode).toBe(200);
    const refused = await call({ method });
    expect(refused.statusCode).toBe(429);
    expect(refused.headers?.['Retry-After']).toBe('10');
    expect(refused.headers?.['X-Content-Type-Options']).toBe('nosniff');
    if (method === 'HEAD') return;
    const { type, detail } = problemBody.parse(JSON.parse(refused.body));
    expect(type).toMatch(/\/throttled$/);
    expect(detail).toContain('6 requests');
    expect((await call({ method, tenant: 'beta' })).statusCode).toBe(200);
  });

  it('counts failed requests', async () => {
    const { call } = makeLimited(async () => {
      throw new Problem('batch-not-found', 'none');
    });
    expect((await call({ method })).statusCode).toBe(404);
    expect((await call({ method })).statusCode).toBe(429);
  });

  it('proceeds when counting fails, and reports the failure', async () => {
    const broken = { take: () => Promise.reject(new Error('the table is gone')) };
    const { call, failures } = makeLimited(async () => uncached(200, {}), broken);
    expect((await call({ method })).statusCode).toBe(200);
    expect(failures).toHaveLength(1);
  });
});

it('a read is started for the first request over the rate, but for no further request', async () => {
  let begun = 0;
  const { call } = makeLimited(async () => {
    begun++;
    return uncached(200, {});
  });
  for (const status of [200, 429, 429, 429]) expect((await call()).statusCode).toBe(status);
  expect(begun).toBe(2);
});

it('no write is started for a request over the rate', async () => {
  let begun = 0;
  const { call } = makeLimited(async () => {
    begun++;
    return uncached(200, {});
  });
  await call({ method: 'POST' });
  await call({ method: 'POST' });
  expect(begun).toBe(1);
});

it('an operation with the weight of three requests counts as three', async () => {
  const paces = makePaces();
  const weigh = createWeigher({ paces, clock: () => NOW, onFailure: () => {} });
  const weighty: Operation = async (request) => {
    await weigh(request, 2);
    return uncached(200, {});
  };
  // The tenant's limit allows five requests at once, then one every two seconds.
  const { call } = makeLimited(weighty, paces, 30);
  for (const status of [200, 200]) expect((await call({ method: 'POST' })).statusCode).toBe(status);
  const refused = await call({ method: 'POST' });
  expect([refused.statusCode, refused.headers?.['Retry-After']]).toEqual([429, '4']);
});

it('the functions of the API count their requests, except the authorizer and the public one', () => {
  const files = readdirSync('lambdas/api/functions');
  const text = (name: string) => readFileSync(`lambdas/api/functions/${name}`, 'utf8');
  const keyless = ['authorizer.ts', 'open.ts'];
  const counted = files.filter((name) => text(name).includes('= serveKeyed('));
  const handlers = files.filter((name) => text(name).includes('export const handler'));
  expect(handlers.filter((name) => !counted.includes(name))).toEqual(keyless);
});
