import { describe, expect, it } from 'vitest';
import { batchDeliveriesOperation } from '../../../lambdas/api/batch-deliveries.ts';
import { batchStatusOperation } from '../../../lambdas/api/batch-status.ts';
import { cancelBatchOperation } from '../../../lambdas/api/cancel-batch.ts';
import { handle, type Operation } from '../../../lambdas/api/http/handle.ts';
import { jobStatusOperation } from '../../../lambdas/api/job-status.ts';
import { patchBatchStatusOperation } from '../../../lambdas/api/patch-batch-status.ts';
import { redeliverOperation } from '../../../lambdas/api/redeliver.ts';
import { retryBatchOperation } from '../../../lambdas/api/retry-batch.ts';
import { OPERATIONS } from '../../../lambdas/api/specification/operations.ts';
import { jobIdOf, newBatchId } from '../../../lambdas/domain/identity.ts';
import { inMemoryStores } from '../../../local/in-memory/stores.ts';
import { aBatch } from '../domain/builders.ts';
import { gatewayEvent } from './gateway-event.ts';

/** Ports that write down what they are asked; whatever a 404 needs no answer of throws. */
function watched() {
  const clock = () => new Date();
  const { batches } = inMemoryStores(clock);
  const asked: string[] = [];
  const watching = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, method) => {
        asked.push(`${name}.${String(method)}`);
        return Reflect.get(target, method);
      },
    });
  const others = ['jobs', 'patchBatches', 'jobRequests', 'outbox', 'log', 'timer', 'runner'];
  const more = [...others, 'tenants', 'quotas', 'signer'];
  const ports = {
    ...Object.fromEntries(more.map((name) => [name, watching(name, {})])),
    batches: watching('batches', batches),
    clock,
  };
  return { batches, asked, ports };
}

const cursorKey = async () => new TextEncoder().encode('a key of cursors');

/** Every operation on a batch, by its id in the published document. */
const operations: Readonly<Record<string, (ports: never) => Operation>> = {
  getBatchStatus: (ports) => batchStatusOperation(ports, cursorKey),
  cancelBatch: cancelBatchOperation,
  retryBatch: retryBatchOperation,
  getJobStatus: (ports) => jobStatusOperation(ports, cursorKey),
  getPatchBatchStatus: patchBatchStatusOperation,
  getDeliveries: batchDeliveriesOperation,
  redeliver: redeliverOperation,
};

async function answerTo(operationId: string, batchId: string, { asked, ports }: World) {
  const specification = OPERATIONS.find((operation) => operation.operationId === operationId);
  const build = operations[operationId];
  if (specification === undefined || build === undefined) throw new Error(operationId);
  const parameters = { batch_id: batchId, job_id: jobIdOf(batchId, 0), patch_batch_idx: '0' };
  const handler = handle(
    operationId,
    () => build(ports as never),
    () => {},
  );
  asked.length = 0;
  const { path: resource, method } = specification;
  const path = resource.replace(/\{(\w+)\}/g, (_, name: keyof typeof parameters) =>
    String(parameters[name]),
  );
  const call = { method: method.toUpperCase(), path, resource, parameters, tenant: 'beta' };
  const { statusCode, headers, body } = await handler(gatewayEvent(call));
  // The path that the caller sent stands in the body; nothing else of it may.
  return { statusCode, headers, body: body.replace(path, '…'), asked: [...asked] };
}

type World = ReturnType<typeof watched>;

it('every operation on a batch is tried here', () => {
  const onBatches = OPERATIONS.filter(({ path }) => path.includes('{batch_id}'));
  expect(Object.keys(operations).sort()).toEqual(
    onBatches.map(({ operationId }) => operationId).sort(),
  );
});

describe.each(Object.keys(operations))('%s', (operationId) => {
  it('answers a batch of another tenant byte for byte as one that never was, by the same reads', async () => {
    const world = watched();
    const theirs = aBatch({ tenant: 'alpha' });
    const expired = aBatch({ tenant: 'beta', resultsExpireAt: '2020-01-01T00:00:00.000Z' });
    for (const batch of [theirs, expired]) await world.batches.create(batch, null);
    const unknown = await answerTo(operationId, newBatchId(new Date()), world);
    expect(unknown.statusCode).toBe(404);
    expect(unknown.asked).toEqual(['batches.read']);
    for (const { batchId } of [theirs, expired]) {
      expect(await answerTo(operationId, batchId, world)).toEqual(unknown);
    }
  });
});
