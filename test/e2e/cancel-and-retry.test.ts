import {
  DescribeExecutionCommand,
  ListStateMachinesCommand,
  SFNClient,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, inject, it } from 'vitest';
import type { z } from 'zod';
import { executionArn } from '../../lambdas/adapters/batch-runner.ts';
import { batchStatusResponse } from '../../lambdas/api/operations/batch-status.ts';
import { retryResponse } from '../../lambdas/api/operations/retry-batch.ts';
import { ROOT_CREDENTIALS } from '../../local/emulator/emulator.ts';
import { httpClient } from '../support/api/http-client.ts';
import * as spec from '../support/api/spec-schemas.ts';
import { checkOneEvent, webhookReceiver } from '../support/delivery/webhook-receiver.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { SEVERAL_PATCH_BATCHES } from '../support/deployed/jobs.ts';
import { collectMetrics, readLogLines } from '../support/deployed/log-lines.ts';

const service = inject('service');
const call = httpClient(service.v2_url, service.api_key);
const SECRET = 'a secret of a cancelled batch';

type Status = z.infer<typeof batchStatusResponse>;

/** Enough jobs that the batch is still running when its start is visible. */
const JOBS = 6;

async function post(webhookUrl?: string): Promise<string> {
  const order = {
    jobs: Array.from({ length: JOBS }, () => SEVERAL_PATCH_BATCHES),
    metadata: { order: 'A-1042' },
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl, webhook_secret: SECRET }),
  };
  const response = await call('/v1/batch', { body: JSON.stringify(order) });
  return spec.created.parse(response.json).batch_id;
}

const postTo = (path: string) => call(path, { method: 'POST' });

async function statusOf(batchId: string): Promise<Status> {
  return batchStatusResponse.parse((await call(`/v1/batch/${batchId}/status`)).json);
}

const waitForStatus = (batchId: string, wanted: (status: Status) => boolean): Promise<Status> =>
  eventually(() => statusOf(batchId), wanted, { everyMs: 100 });

const isFinished = ({ completed_at }: Status) => completed_at !== null;
const hasBegun = ({ progress }: Status) => progress > 0;

describe('a batch that is cancelled while it runs', () => {
  it('ends once, sends its webhook, and can be retried for the remaining jobs', async () => {
    await using receiver = await webhookReceiver();
    const eventOf = async (id: string) => checkOneEvent([await receiver.first(id)], SECRET);
    const batchId = await post(receiver.url);
    await waitForStatus(batchId, hasBegun);

    const cancelled = await postTo(`/v1/batch/${batchId}/cancel`);
    expect(cancelled.status).toBe(202);
    const ended = await waitForStatus(batchId, isFinished);
    expect(['failed', 'partial']).toContain(ended.status);
    expect((await postTo(`/v1/batch/${batchId}/cancel`)).status).toBe(409);
    const codes = ended.jobs.flatMap(({ error_code }) => (error_code === null ? [] : [error_code]));
    expect(new Set(codes)).toEqual(new Set(['cancelled']));
    expect(await eventOf(batchId)).toMatchObject({ status: ended.status });

    const retrying = await postTo(`/v1/batch/${batchId}/retry`);
    expect(retrying.status).toBe(202);
    const retry = retryResponse.parse(retrying.json);
    const again = retryResponse.parse((await postTo(`/v1/batch/${batchId}/retry`)).json);
    expect(again.batch_id).toBe(retry.batch_id);
    expect((await postTo(`/v1/batch/${retry.batch_id}/retry`)).status).toBe(409);

    const done = await waitForStatus(retry.batch_id, isFinished);
    expect(done).toMatchObject({
      status: 'completed',
      retry_of: batchId,
      total_jobs: codes.length,
      metadata: { order: 'A-1042' },
    });
    const failed = ended.jobs.filter(({ status }) => status === 'failed');
    expect(done.jobs.map(({ retry_of_job_id }) => retry_of_job_id)).toEqual(
      failed.map(({ job_id }) => job_id),
    );
    expect(await eventOf(retry.batch_id)).toMatchObject({ status: 'completed', retry_of: batchId });

    // Steps that were still running have not changed the final state or sent a second webhook.
    const later = await statusOf(batchId);
    expect(later.jobs.map(selectOutcome)).toEqual(ended.jobs.map(selectOutcome));
    expect(later).toMatchObject({ status: ended.status, completed_at: ended.completed_at });
    expect(receiver.deliveriesOf(batchId)).toHaveLength(1);
  });
});

const selectOutcome = ({
  job_id,
  status,
  error_message,
  completed_at,
}: Status['jobs'][number]) => ({
  job_id,
  status,
  error_message,
  completed_at,
});

describe('a batch whose execution an operator stops', () => {
  it('is restarted, completes, and is counted by the reconciler’s metric', async () => {
    const since = new Date();
    const { endpoint_url: endpoint, region } = service;
    const sfn = new SFNClient({ endpoint, region, credentials: ROOT_CREDENTIALS });
    const { stateMachines = [] } = await sfn.send(new ListStateMachinesCommand({}));
    const machines = stateMachines.map(({ stateMachineArn }) => stateMachineArn ?? '');
    const machine = machines.find((arn) => arn.includes('Batches')) ?? '';

    const batchId = await post();
    await waitForStatus(batchId, hasBegun);
    await sfn.send(new StopExecutionCommand({ executionArn: executionArn(machine, batchId) }));

    expect((await waitForStatus(batchId, isFinished)).status).toBe('completed');
    const second = executionArn(machine, `${batchId}.1`);
    const { input } = await sfn.send(new DescribeExecutionCommand({ executionArn: second }));
    expect(JSON.parse(input ?? '')).toEqual({ batch_id: batchId, last_job_index: JOBS - 1 });
    const finds = collectMetrics(await readLogLines(service, since)).get('ReconcilerFinds');
    expect(finds?.some(({ kind, value }) => kind === 'restarted' && value >= 1)).toBe(true);
  });
});
