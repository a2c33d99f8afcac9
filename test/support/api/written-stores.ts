import {
  DeleteCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { PackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import type { Quotas } from '../../../lambdas/domain/admission/quota.ts';
import type { Batch, BatchStore } from '../../../lambdas/domain/batch/batch.ts';
import { SigningKeyUnavailable } from '../../../lambdas/domain/job/reading/result-signer.ts';
import type { StoredJob } from '../../../lambdas/domain/job/requested-job.ts';
import { TransientFailure } from '../../../lambdas/domain/step-failure.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';
import type { RequestFiles } from '../../../local/in-memory/files.ts';
import { inMemoryPorts, withRuns } from '../../../local/in-memory/ports.ts';
import { inMemoryResultFiles } from '../../../local/in-memory/rasters.ts';
import { Executions } from '../simulation/executions.ts';
import { storedRecords } from '../stores/stored-records.ts';

export const NOW = new Date('2026-03-04T05:06:07.089Z');

interface Outside {
  readonly catalogue: PackCatalogue;
  readonly signUrl: (batchId: string, jobId: string, fileName: string) => Promise<string>;
}

export function writtenStores({ catalogue, signUrl }: Outside) {
  const rasters = new Map<string, Uint8Array>();
  const started: string[] = [];
  const faults = { start: false, signing: false, conflict: false, usageOnceCreated: false };
  let isCreated = false;
  const time = { now: NOW };
  const writes = { count: 0 };
  const reads = { count: 0 };
  const clock = () => time.now;
  const table = inMemoryTable(clock, (command) => {
    if (isWrite(command)) writes.count++;
    else if (!(command instanceof QueryCommand && 'IndexName' in command.input)) reads.count++;
  });
  const inMemory = inMemoryPorts(clock, catalogue, { table });
  const { batches, jobRequests: requests } = inMemory;
  const stores = {
    ...withRuns({
      ...inMemory,
      runner: new Executions(),
      runningLimits: { inAll: 10, reserved: 0, perTenant: 10 },
      deliveryQueue: { enqueue: async () => undefined },
    }),
    batches: {
      ...batches,
      create: async (...creating: Parameters<BatchStore['create']>) => {
        if (faults.conflict) throw new TransientFailure('lost every write conflict');
        const outcome = await batches.create(...creating);
        isCreated ||= outcome === 'created';
        return outcome;
      },
    },
    quotas: {
      use: async (...used: Parameters<Quotas['use']>) => {
        if (faults.usageOnceCreated && isCreated) throw new Error('the table is throttled');
        return inMemory.quotas.use(...used);
      },
    },
    jobRequests: {
      ...requests,
      write: async (id: string, stored: readonly StoredJob[]) => {
        writes.count++;
        await requests.write(id, stored);
      },
    },
    signer: {
      sign: async (batchId: string, jobId: string, fileName: string, method = 'GET') => {
        if (faults.signing) throw new SigningKeyUnavailable('no key yet');
        return {
          url: `${await signUrl(batchId, jobId, fileName)}${method === 'HEAD' ? '&x-id=HeadObject' : ''}`,
          createdAt: '2026-03-04T05:06:07.000Z',
          expiresAt: '2026-03-05T05:06:07.000Z',
        };
      },
    },
    dispatch: async ({ batch_id: batchId }: Batch) => {
      if (faults.start) throw new Error('the table is throttled');
      started.push(batchId);
    },
    resultFiles: inMemoryResultFiles((id, jobId) => rasters.get(`${id}/${jobId}`)),
  };
  const { batchPredictionErrors, jobPredictionErrors, tenants } = inMemory;
  const written = {
    ...storedRecords(table),
    table,
    requests,
    rasters,
    batchPredictionErrors,
    jobPredictionErrors,
    started,
    tenants,
    faults,
    time,
    writes,
    reads,
  };
  return { stores, written };
}

const isWrite = (command: object): boolean =>
  [PutCommand, UpdateCommand, DeleteCommand, TransactWriteCommand].some(
    (kind) => command instanceof kind,
  );

export function copyRequest(
  { requests }: { readonly requests: RequestFiles },
  from: string,
  to: string,
): void {
  for (const [key, bytes] of requests.objects) {
    if (key.includes(from)) requests.objects.set(key.replace(from, to), bytes);
  }
}
