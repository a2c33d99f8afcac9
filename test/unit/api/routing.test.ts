import { describe, expect, it } from 'vitest';
import { type HandlerFile, OPERATIONS } from '../../../lambdas/api/definitions/operations.ts';
import { FALLBACK, type Handler, handle } from '../../../lambdas/api/handling/handle.ts';
import { type DefinitionsOf, handleEach } from '../../../lambdas/api/handling/handle-each.ts';
import { methodsOf } from '../../../lambdas/api/handling/routes.ts';
import { uncached } from '../../../lambdas/api/responses/response.ts';
import { gatewayEvent } from '../../support/api/gateway-event.ts';

const quiet = () => {};
const named = ({ name }: { readonly name: string }): Handler =>
  handle(FALLBACK, () => async () => uncached(200, { name }), quiet);

describe('the definitions of operations', () => {
  it.each(OPERATIONS)('gives $name a path with its method', ({ path, method }) => {
    expect(methodsOf(OPERATIONS, path.replace(/\{\w+\}/g, 'x'))).toContain(method);
  });
});

describe('a function with several operations', () => {
  const definitions = Object.fromEntries(
    OPERATIONS.map(({ name, ...definition }) => [name, definition]),
  ) as DefinitionsOf<HandlerFile>;
  const reads = handleEach('reads', definitions, named, named({ name: 'otherwise' }));
  const served = async (method: string, resource: string) =>
    JSON.parse((await reads(gatewayEvent({ method, resource }))).body || '{}').name;

  it('passes each request to the operation at its resource and method', async () => {
    for (const { name, method, path, handler } of OPERATIONS) {
      expect(await served(method, path)).toBe(handler === 'reads' ? name : 'otherwise');
    }
  });

  it('serves HEAD by the operation for GET', async () => {
    const seen: string[] = [];
    const spying = handleEach('reads', definitions, (operation) => (event) => {
      seen.push(operation.name);
      return named(operation)(event);
    });
    await spying(gatewayEvent({ method: 'HEAD', resource: '/v1/usage' }));
    expect(seen).toEqual(['usage']);
  });

  it('throws for a request that is not its own, without a fallback', () => {
    const strict = handleEach('signed-reads', definitions, named);
    expect(() => strict(gatewayEvent({ resource: '/v1/usage' }))).toThrow('/v1/usage');
  });
});
