import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../lambdas/api/http/request.ts';
import { rootOperation } from '../../../lambdas/api/operations/docs.ts';
import { routeNamed } from '../../../lambdas/api/routes.ts';
import { handle } from '../../../local/dev/handle.ts';
import { BASE_URL, gatewayEvent } from '../../support/api/gateway-event.ts';

const paths = ['/v1/batch', '/v1/batch/', '//x//y', '/x/a%2Fb', '/x/%zz', '/live/v1/batch', '/'];

/** On a custom domain, both paths of an event start with the base path of the mapping. */
function onCustomDomain(basePath: string, own: string) {
  const variables = { base_url: `https://soil.example${basePath}` };
  const event = gatewayEvent({ path: `${basePath}${own}`, variables });
  event.requestContext.path = event.path;
  return event;
}

describe('the base URL and the relative path of a request', () => {
  it.each(paths)("are separated at the gateway's own domain: %s", (path) => {
    expect(readRequest(gatewayEvent({ path }))).toMatchObject({ baseUrl: BASE_URL, path });
  });

  it.each(['', '/maps', '/maps/soil', '/v1'])(
    'are separated behind the base path mapping "%s"',
    (mapping) => {
      for (const path of paths) {
        const request = readRequest(onCustomDomain(mapping, path));
        expect(request).toMatchObject({ baseUrl: `https://soil.example${mapping}`, path });
      }
    },
  );

  it('are separated if the path is only the base path', () => {
    expect(readRequest(onCustomDomain('/maps', '')).path).toBe('/');
  });

  it.each(['http://127.0.0.1:8001', 'https://proxy.example/soil', 'https://proxy.example/v1'])(
    'are separated behind a proxy at %s',
    (base_url) => {
      for (const path of paths) {
        const request = readRequest(gatewayEvent({ path, variables: { base_url } }));
        expect(request).toMatchObject({ baseUrl: base_url, path });
      }
    },
  );

  it('are an empty text and the whole path if the stage has no variable with the base URL', () => {
    const event = gatewayEvent({ path: '/v1/batch' });
    event.stageVariables = { deployment: 'v1' };
    expect(readRequest(event)).toMatchObject({ baseUrl: '', path: '/v1/batch' });
  });
});

describe('the root path', () => {
  it.each(['GET', 'HEAD'])('redirects %s to the reference, on both deployments', async (method) => {
    const root = handle(routeNamed('root'), rootOperation, () => {});
    for (const deployment of ['v1', 'v2']) {
      const base_url = `https://${deployment}.soil.example/maps`;
      const event = gatewayEvent({ method, path: '/', variables: { deployment, base_url } });
      const { statusCode, headers } = await root(event);
      expect(statusCode).toBe(302);
      expect(headers?.['Location']).toBe(`${base_url}/docs`);
    }
  });
});
