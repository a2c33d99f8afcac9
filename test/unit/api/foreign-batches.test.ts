import { describe, expect, it } from 'vitest';
import { dynamoBatchStore } from '../../../lambdas/adapters/dynamodb/batches.ts';
import { DEFINED_OPERATIONS } from '../../../lambdas/api/operations.ts';
import { NAMED_ROUTES, type NamedRoute } from '../../../lambdas/api/routes.ts';
import { jobIdOf, newBatchId } from '../../../lambdas/domain/identity.ts';
import { handle } from '../../../local/dev/handle.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';
import { gatewayEvent } from '../../support/api/gateway-event.ts';
import { aBatch } from '../../support/domain/builders.ts';

/** Ports that record reads, and throw on calls that a 404 does not need. */
function watchPorts() {
  const clock = () => new Date();
  const batches = dynamoBatchStore(inMemoryTable(clock));
  const asked: string[] = [];
  const watching = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, method) => {
        asked.push(`${name}.${String(method)}`);
        return Reflect.get(target, method);
      },
    });
  const others = [
    'jobs',
    'patchBatches',
    'jobRequests',
    'outbox',
    'log',
    'deliveryQueue',
    'runner',
  ];
  const more = [...others, 'tenants', 'quotas', 'signer', 'resultFiles'];
  const ports = {
    ...Object.fromEntries(more.map((name) => [name, watching(name, {})])),
    batches: watching('batches', batches),
    cursorKey: async () => new TextEncoder().encode('a key of cursors'),
    clock,
  };
  return { batches, asked, ports };
}

const ROUTES_OF_BATCHES = NAMED_ROUTES.filter(({ path }) => path.includes('{batch_id}'));

async function requestRoute(route: NamedRoute, batchId: string, { asked, ports }: World) {
  const [, build] = DEFINED_OPERATIONS[route.name];
  const parameters = { batch_id: batchId, job_id: jobIdOf(batchId, 0), patch_batch_idx: '0' };
  const handler = handle(
    route,
    () => build(ports as never),
    () => {},
  );
  asked.length = 0;
  const { path: resource, method } = route;
  const path = resource.replace(/\{(\w+)\}/g, (_, name: keyof typeof parameters) =>
    String(parameters[name]),
  );
  const call = { method, path, resource, parameters, tenant: 'beta' };
  const { statusCode, headers, body } = await handler(gatewayEvent(call));
  // The body contains the path of the request, and must contain nothing else from the request.
  return { statusCode, headers, body: body.replace(path, '…'), asked: [...asked] };
}

type World = ReturnType<typeof watchPorts>;

describe.each(ROUTES_OF_BATCHES)('$name', (route) => {
  it('returns the same bytes, after the same reads, for a foreign or expired batch as for an unknown one', async () => {
    const world = watchPorts();
    const theirs = aBatch({ tenant: 'alpha' });
    const expired = aBatch({ tenant: 'beta', results_expire_at: '2020-01-01T00:00:00.000Z' });
    for (const batch of [theirs, expired]) await world.batches.create(batch, null);
    const unknown = await requestRoute(route, newBatchId(new Date()), world);
    expect(unknown.statusCode).toBe(404);
    expect(unknown.asked).toEqual(['batches.readBatch']);
    for (const { batch_id: batchId } of [theirs, expired]) {
      expect(await requestRoute(route, batchId, world)).toEqual(unknown);
    }
  });
});
