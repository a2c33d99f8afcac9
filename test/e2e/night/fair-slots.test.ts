import { afterAll, describe, expect, inject, it } from 'vitest';
import { batchStatusResponse } from '../../../lambdas/api/operations/batch-status.ts';
import { readStageConfig } from '../../../lib/config/each-stage.ts';
import { type HttpClient, httpClient } from '../../support/api/http-client.ts';
import * as spec from '../../support/api/spec-schemas.ts';
import { eventually } from '../../support/deployed/eventually.ts';
import { SEVERAL_PATCH_BATCHES } from '../../support/deployed/jobs.ts';
import { newTenant } from '../../support/deployed/new-tenant.ts';

const service = inject('service');
const { inAll, reserved, perTenant } = readStageConfig('local').runningBatches;

async function clientOf(name: string): Promise<HttpClient> {
  const limits = { hectaresPerDay: 1_000_000, requestsPerMinute: 1_000_000 };
  return httpClient(service.v2_url, await newTenant(name, limits));
}

async function post(call: HttpClient, jobs: number): Promise<string> {
  const body = JSON.stringify({ jobs: Array(jobs).fill(SEVERAL_PATCH_BATCHES) });
  return spec.created.parse((await call('/v1/batch', { body })).json).batch_id;
}

const statusOf = async (call: HttpClient, batchId: string) =>
  batchStatusResponse.parse((await call(`/v1/batch/${batchId}/status?jobs=none`)).json);

const busy: { readonly call: HttpClient; readonly batchId: string }[] = [];
afterAll(async () => {
  for (const { call, batchId } of busy) {
    await call(`/v1/batch/${batchId}/cancel`, { method: 'POST' });
  }
});

describe('alongside tenants whose batches would take every slot,', () => {
  it('another tenant’s first batch runs and ends before any of their batches', async () => {
    const tenants = Math.ceil(inAll / perTenant);
    for (let index = 0; index < tenants; index++) {
      const call = await clientOf(`busy-${index}`);
      for (let batch = 0; batch <= perTenant; batch++) {
        busy.push({ call, batchId: await post(call, 20) });
      }
    }
    const statuses = () => Promise.all(busy.map(({ call, batchId }) => statusOf(call, batchId)));
    await eventually(
      statuses,
      (all) => all.filter(({ status }) => status === 'processing').length === inAll - reserved,
    );

    const newcomer = await clientOf('newcomer');
    const first = await post(newcomer, 2);
    const ended = await eventually(
      () => statusOf(newcomer, first),
      ({ completed_at }) => completed_at !== null,
    );
    expect(ended.status).toBe('completed');
    const others = await statuses();
    expect(others.filter(({ completed_at }) => completed_at !== null)).toEqual([]);
    expect(others.filter(({ status }) => status === 'processing')).toHaveLength(inAll - reserved);
  });
});
