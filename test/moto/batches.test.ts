import { DescribeExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { requireAdvance, runExample } from '../../bin/smoke/example.ts';
import { checkRaster } from '../../bin/smoke/raster.ts';
import { executionArn as formatExecutionArn } from '../../lambdas/adapters/batch-runner.ts';
import { batchStatusResponse } from '../../lambdas/api/operations/batch-status.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { aSquare } from '../support/box.ts';
import { checkOneEvent, webhookReceiver } from '../support/delivery/webhook-receiver.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { EXAMPLE } from '../support/deployed/example-run.ts';
import { SEVERAL_PATCH_BATCHES } from '../support/deployed/jobs.ts';
import { type MotoService, startServiceOnMoto } from './service.ts';

// moto's interpreter of Step Functions shares no code with the emulator's or with local/state-machine.ts.

const SECRET = 'a secret of the second engine';
const TINY = { polygon: aSquare(5.73, 50.965, 0.001), year: 2024 };

let service: MotoService;
beforeAll(async () => {
  service = await startServiceOnMoto();
});
afterAll(() => service[Symbol.asyncDispose]());

type Status = z.infer<typeof batchStatusResponse>;

async function post(jobs: readonly object[]): Promise<string> {
  const { json } = await service.call('/v1/batch', { body: JSON.stringify({ jobs }) });
  return spec.created.parse(json).batch_id;
}

async function statusOf(batchId: string): Promise<Status> {
  return batchStatusResponse.parse((await service.call(`/v1/batch/${batchId}/status`)).json);
}

const waitForStatus = (batchId: string, wanted: (status: Status) => boolean) =>
  eventually(() => statusOf(batchId), wanted);
const waitUntilFinished = (batchId: string) =>
  waitForStatus(batchId, ({ completed_at }) => completed_at !== null);

async function finishedDespiteFaults(jobs: readonly object[]): Promise<Status> {
  const status = await waitUntilFinished(await post(jobs));
  expect(service.functions.countFaults()).toBe(0);
  return status;
}

/** A run ends after its batch is final. */
function waitForRun(wanted: 'ABORTED' | 'SUCCEEDED', name: string) {
  const executionArn = formatExecutionArn(service.stateMachineArn, name);
  const describe = () => service.sfn.send(new DescribeExecutionCommand({ executionArn }));
  return eventually(describe, ({ status }) => status === wanted);
}

it('the example ends as partial, its rasters can be read, and its webhook is retried once', async () => {
  await using receiver = await webhookReceiver((earlier) => (earlier === 0 ? 503 : 200));
  const request = { jobs: EXAMPLE.jobs, webhook_url: receiver.url, webhook_secret: SECRET };
  const run = await runExample(service.call, request, { pauseMs: 200 });
  const polls = run.polls.map(({ json }) => spec.batch.parse(json));
  requireAdvance(polls);
  const jobs = polls.at(-1)?.jobs ?? [];
  expect(polls.at(-1)?.status).toBe('partial');
  expect(jobs.map(({ error_code }) => error_code)).toEqual([
    null,
    null,
    'geometry_self_intersection',
  ]);
  for (const { signed_cog_url: url } of jobs.slice(0, 2)) await checkRaster(String(url));

  const [first, second] = await eventually(
    async () => receiver.deliveriesOf(run.batchId),
    (deliveries) => deliveries.length === 2,
  );
  expect(Number(second?.at) - Number(first?.at)).toBeGreaterThanOrEqual(10_000);
  expect(checkOneEvent(receiver.deliveries, SECRET)).toMatchObject({ status: 'partial' });
});

it("a batch beyond its tenant's slots waits, and runs when another batch ends", async () => {
  const { perTenant } = readStageConfig('local').runningBatches;
  const ids: string[] = [];
  for (let batch = 0; batch <= perTenant; batch++) ids.push(await post([TINY, TINY]));
  expect((await statusOf(ids.at(-1) ?? '')).status).toBe('pending');
  for (const id of ids) expect((await waitUntilFinished(id)).status).toBe('completed');
});

describe('a step that', () => {
  it('is throttled is retried, and the batch completes', async () => {
    service.functions.fail('pipeline/plan-job', 'throttled', 'throttled');
    service.functions.fail('pipeline/finish-batch', 'throttled');
    expect((await finishedDespiteFaults([TINY, TINY])).status).toBe('completed');
  });

  it('runs out of memory once is retried, and the batch completes', async () => {
    service.functions.fail('pipeline/predict-patch-batch', 'killed');
    expect((await finishedDespiteFaults([TINY])).status).toBe('completed');
  });

  it('runs out of memory twice fails its job', async () => {
    service.functions.fail('pipeline/predict-patch-batch', 'killed', 'killed');
    const { status, jobs } = await finishedDespiteFaults([TINY]);
    expect([status, jobs[0]?.error_code]).toEqual(['failed', 'internal']);
  });

  it('throws a TypeError fails its job, but no other job', async () => {
    service.functions.fail('pipeline/plan-job', 'TypeError');
    const { status, jobs } = await finishedDespiteFaults([TINY, TINY]);
    expect(status).toBe('partial');
    expect(jobs.flatMap(({ error_code }) => error_code ?? [])).toEqual(['internal']);
  });

  it('finishes the batch and throws a TypeError is retried', async () => {
    service.functions.fail('pipeline/finish-batch', 'TypeError');
    expect((await finishedDespiteFaults([TINY])).status).toBe('completed');
  });
});

describe('a batch of six running jobs', () => {
  async function begin(): Promise<string> {
    const batchId = await post(Array.from({ length: 6 }, () => SEVERAL_PATCH_BATCHES));
    await waitForStatus(batchId, ({ progress }) => progress > 0);
    return batchId;
  }

  it('ends when it is cancelled, and its execution is aborted', async () => {
    const batchId = await begin();
    const cancelled = await service.call(`/v1/batch/${batchId}/cancel`, { method: 'POST' });
    expect(cancelled.status).toBe(202);
    await waitForRun('ABORTED', batchId);
    // moto publishes no event when a run ends.
    const detail = { name: batchId, status: 'ABORTED' };
    await service.functions.invoke('reconcile/reconcile', { source: 'aws.states', detail });
    const { status, jobs } = await waitUntilFinished(batchId);
    expect(status).toBeOneOf(['failed', 'partial']);
    const codes = new Set(jobs.flatMap(({ error_code }) => error_code ?? []));
    expect([...codes]).toEqual(['cancelled']);
  });

  it('is restarted by the reconciler when its execution is lost, and completes', async () => {
    const batchId = await begin();
    const executionArn = formatExecutionArn(service.stateMachineArn, batchId);
    await service.sfn.send(new StopExecutionCommand({ executionArn }));
    // A rule invokes the reconciler every minute; a batch must be unchanged for a minute before it is repaired.
    const ended = await eventually(
      async () => {
        await service.functions.invoke('reconcile/reconcile', {});
        return statusOf(batchId);
      },
      ({ completed_at }) => completed_at !== null,
      { everyMs: 2_000 },
    );
    expect(ended.status).toBe('completed');
    await waitForRun('SUCCEEDED', `${batchId}.1`);
  });
});
