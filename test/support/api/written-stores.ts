import type { PackCatalogue } from '../../../engine/model/pack/catalogue.ts';
import type { Charge } from '../../../lambdas/domain/admission/quota.ts';
import type { Batch } from '../../../lambdas/domain/batch/batch.ts';
import type { CpuClock } from '../../../lambdas/domain/clock.ts';
import type { JobRecord } from '../../../lambdas/domain/job/job.ts';
import { SigningKeyUnavailable } from '../../../lambdas/domain/job/reading/result-signer.ts';
import type { StoredJob } from '../../../lambdas/domain/job/requested-job.ts';
import type { PatchBatchRecord, Plan } from '../../../lambdas/domain/patch-batch/patch-batch.ts';
import { TransientFailure } from '../../../lambdas/domain/step-failure.ts';
import { inMemoryRecentTimes } from '../../../local/in-memory/admission.ts';
import { chargeQuota, inMemoryCharges, refusalOf } from '../../../local/in-memory/charges.ts';
import {
  inMemoryPredictionErrors,
  inMemoryRequests,
  type RequestFiles,
} from '../../../local/in-memory/files.ts';
import { inMemoryTenants } from '../../../local/in-memory/tenants.ts';

export const NOW = new Date('2026-03-04T05:06:07.089Z');

interface Outside {
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly signUrl: (batchId: string, jobId: string, fileName: string) => Promise<string>;
  readonly cpuClock: CpuClock;
}

/** What the API reads and writes, with what tests write and look at. */
export function writtenStores({ catalogue, signUrl, cpuClock }: Outside) {
  const batches = new Map<string, { batch: Batch; metadata: string | null }>();
  const requests = inMemoryRequests();
  const jobs = new Map<string, JobRecord>();
  const plans = new Map<string, Plan>();
  const patchBatches = new Map<string, PatchBatchRecord>();
  const rasters = new Map<string, Uint8Array>();
  const predictionErrors = inMemoryPredictionErrors();
  const started: string[] = [];
  const faults = { start: false, signing: false, conflict: false };
  const time = { now: NOW };
  const charges = inMemoryCharges(() => time.now);
  const tenants = inMemoryTenants();
  const writes = { count: 0 };
  const reads = { count: 0 };
  const listed = (id: string) => {
    reads.count++;
    return [...jobs].filter(([key]) => key.startsWith(`${id}/`)).map(([, record]) => record);
  };
  const stores = {
    batches: {
      create: async (batch: Batch, metadata: string | null, charge?: Charge) => {
        writes.count++;
        if (faults.conflict) throw new TransientFailure('other writers kept winning');
        const refusal = charge === undefined ? null : refusalOf(charges, batch, charge);
        if (refusal !== null) return refusal;
        if (charge !== undefined) chargeQuota(charges, batch, charge);
        batches.set(batch.batchId, { batch, metadata });
        return 'created' as const;
      },
      read: async (id: string) => {
        reads.count++;
        return batches.get(id)?.batch ?? null;
      },
      readAll: async (ids: readonly string[]) => {
        reads.count++;
        return ids.map((id) => batches.get(id)?.batch ?? null);
      },
      readMetadata: async (id: string) => {
        reads.count++;
        return batches.get(id)?.metadata ?? null;
      },
      readAllMetadata: async (ids: readonly string[]) => {
        reads.count++;
        return ids.map((id) => batches.get(id)?.metadata ?? null);
      },
    },
    jobRequests: {
      ...requests,
      write: async (id: string, stored: readonly StoredJob[]) => {
        writes.count++;
        await requests.write(id, stored);
      },
    },
    jobs: {
      list: async (id: string) => listed(id),
      listCounted: async (id: string) => listed(id),
      read: async (id: string, index: number) => jobs.get(`${id}/${index}`) ?? null,
    },
    patchBatches: {
      readPlan: async (id: string, index: number) => plans.get(`${id}/${index}`) ?? null,
      read: async (id: string, index: number, idx: number) =>
        patchBatches.get(`${id}/${index}/${idx}`) ?? null,
      range: async (id: string, index: number, first: number, end: number) =>
        [...patchBatches]
          .filter(([key]) => key.startsWith(`${id}/${index}/`))
          .map(([, record]) => record)
          .filter(({ idx }) => idx >= first && idx < end),
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
    ...predictionErrors,
    dispatch: async ({ batchId }: Batch) => {
      if (faults.start) throw new Error('the table is throttled');
      started.push(batchId);
    },
    webhookSecrets: {
      encrypt: async (secret: string, owner: { tenant: string; batchId: string }) =>
        Buffer.from(`${owner.tenant}/${owner.batchId}/${secret.length}`).toString('base64'),
    },
    tenants,
    quotas: charges.quotas,
    idempotencyKeys: charges.idempotencyKeys,
    catalogue,
    clock: () => time.now,
    cpuClock,
    retentionDays: 30,
    recentTimes: inMemoryRecentTimes(),
    jobsAtOnce: 2,
    onDispatchFailure: () => {},
  };
  const written = {
    batches,
    requests,
    jobs,
    plans,
    patchBatches,
    rasters,
    ...predictionErrors,
    started,
    charges,
    tenants,
    faults,
    time,
    writes,
    reads,
  };
  return { stores, written };
}

/** Makes the jobs of one batch those of another, too. */
export function copyRequest(
  { requests }: { readonly requests: RequestFiles },
  from: string,
  to: string,
): void {
  for (const [key, bytes] of requests.objects) {
    if (key.includes(from)) requests.objects.set(key.replace(from, to), bytes);
  }
}
