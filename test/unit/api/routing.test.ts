import { describe, expect, it } from 'vitest';
import { FALLBACK, type Handler, handle } from '../../../lambdas/api/http/handle.ts';
import { handleEach } from '../../../lambdas/api/http/handle-each.ts';
import { uncached } from '../../../lambdas/api/http/response.ts';
import { methodsOf } from '../../../lambdas/api/http/routes.ts';
import { OPERATION_ENTRIES } from '../../../lambdas/api/operations/table.ts';
import { gatewayEvent } from '../../support/api/gateway-event.ts';
import { PROMISED } from '../../support/api/promised-operations.ts';

const quiet = () => {};
const named = (name: string): Handler =>
  handle(FALLBACK, () => async () => uncached(200, { name }), quiet);

describe('the operation table', () => {
  it('has every promised operation, and no other', () => {
    const operations = OPERATION_ENTRIES.map(
      ([, { method, path, deployments }]) =>
        `${method} ${path}${deployments.length === 1 ? ' (V2)' : ''}`,
    );
    expect(operations.sort()).toEqual([...PROMISED].sort());
  });

  it.each(OPERATION_ENTRIES)('gives %s a path with its method', (_, { path, method }) => {
    expect(methodsOf(path.replace(/\{\w+\}/g, 'x'))).toContain(method);
  });
});

describe('a function with several operations', () => {
  const reads = handleEach('reads', named, named('otherwise'));
  const served = async (method: string, resource: string) =>
    JSON.parse((await reads(gatewayEvent({ method, resource }))).body || '{}').name;

  it('passes each request to the operation at its resource and method', async () => {
    for (const [name, { method, path, handler }] of OPERATION_ENTRIES) {
      expect(await served(method, path)).toBe(handler === 'reads' ? name : 'otherwise');
    }
  });

  it('serves HEAD by the operation for GET', async () => {
    const seen: string[] = [];
    const spying = handleEach('reads', (name) => (event) => {
      seen.push(name);
      return named(name)(event);
    });
    await spying(gatewayEvent({ method: 'HEAD', resource: '/v1/usage' }));
    expect(seen).toEqual(['usage']);
  });

  it('throws for a request that is not its own, without a fallback', () => {
    const strict = handleEach('signed-reads', named);
    expect(() => strict(gatewayEvent({ resource: '/v1/usage' }))).toThrow('/v1/usage');
  });
});
