import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../lambdas/api/http/request.ts';
import { BASE_URL, gatewayEvent } from './gateway-event.ts';

const ID = '0198c0de-0000-7000-8000-000000000000';
const call = {
  path: `/v1/batch/${ID}/status`,
  resource: '/v1/batch/{batch_id}/status',
  parameters: { batch_id: ID },
};

/** As the gateway shapes it on a custom domain: both paths carry the mapping's base path. */
function onCustomDomain(mapping: string, own: typeof call | { path: string; resource: string }) {
  const event = gatewayEvent(own);
  event.path = `${mapping}${own.path}`;
  event.requestContext.path = event.path;
  event.requestContext.domainName = 'soil.example';
  return event;
}

describe('the base address of a request', () => {
  it("is the gateway's own with its stage", () => {
    const { baseUrl, path } = readRequest(gatewayEvent(call));
    expect({ baseUrl, path }).toEqual({ baseUrl: BASE_URL, path: call.path });
  });

  it.each(['', '/maps', '/maps/soil'])('is the custom domain with its mapping "%s"', (mapping) => {
    const { baseUrl, path } = readRequest(onCustomDomain(mapping, call));
    expect({ baseUrl, path }).toEqual({
      baseUrl: `https://soil.example${mapping}`,
      path: call.path,
    });
  });

  it('holds for a path with a slash at its end', () => {
    const own = { path: '/v1/batch/', resource: '/v1/batch' };
    expect(readRequest(gatewayEvent(own)).baseUrl).toBe(BASE_URL);
    expect(readRequest(onCustomDomain('/maps', own)).baseUrl).toBe('https://soil.example/maps');
  });

  it('holds for a path that only the greedy resource takes', () => {
    const event = onCustomDomain('/maps', { path: '/no/such', resource: '/{proxy+}' });
    event.pathParameters = { proxy: 'no/such' };
    const { baseUrl, path } = readRequest(event);
    expect({ baseUrl, path }).toEqual({ baseUrl: 'https://soil.example/maps', path: '/no/such' });
  });

  it.each([
    ['empty segments', '//x//y', ['x//y', '/x//y', '//x//y']],
    ['a slash at its end', '/x/y/', ['x/y', 'x/y/']],
    ['an encoded slash', '/x/a%2Fb', ['x/a/b', 'x/a%2Fb']],
    ['a sign that does not decode', '/x/%zz', ['x/%zz']],
  ])('holds for a path with %s, however the gateway hands it on', (_, path, proxies) => {
    for (const [mapping, proxy] of ['', '/soil', '/soil/x'].flatMap((at) =>
      proxies.map((each) => [at, each] as const),
    )) {
      const event = onCustomDomain(mapping, { path, resource: '/{proxy+}' });
      event.pathParameters = { proxy };
      const { baseUrl, path: own } = readRequest(event);
      expect([proxy, baseUrl, own]).toEqual([proxy, `https://soil.example${mapping}`, path]);
    }
  });

  it('is the one the stage names, when something before the gateway rewrites paths', () => {
    const variables = { base_url: 'http://127.0.0.1:8001/' };
    expect(readRequest(gatewayEvent({ ...call, variables })).baseUrl).toBe('http://127.0.0.1:8001');
  });

  it('falls back to the Host header', () => {
    const event = gatewayEvent({
      ...call,
      headers: { HOST: 'proxy.example:8080', 'x-forwarded-proto': 'http' },
    });
    Reflect.deleteProperty(event.requestContext, 'domainName');
    expect(readRequest(event).baseUrl).toBe('http://proxy.example:8080/live');
  });
});
