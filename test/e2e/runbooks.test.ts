import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { receiveHttp } from '../support/delivery/local-receiver.ts';
import { SEVERAL_PATCH_BATCHES } from '../support/deployed/jobs.ts';
import { collectMetrics, readLogLines } from '../support/deployed/log-lines.ts';
import {
  call,
  EMPTY,
  findLine,
  findReconcilerLine,
  operator,
  postBatch,
  service,
  statusOf,
  waitUntilFinished,
} from './runbook-signs.ts';

// These tests check the logs and metrics to which runbooks refer. The emulator has no alarms.

describe('oldest-unfinished: no execution can be started', () => {
  it('the fault shows in the reconciler’s log line and gauge, and a cancelled batch ends', async () => {
    const since = new Date();
    let batchId: string;
    {
      await using _api = await operator.forbid('ApiCreations', ['states:StartExecution']);
      await using _reconciler = await operator.forbid('ReconcilerReconcile', [
        'states:StartExecution',
      ]);
      batchId = await postBatch([EMPTY]);
      await pause(2_000);
      await operator.invoke('ReconcilerReconcile', {});
      await findReconcilerLine(since, 'pending', 'oldest_running_seconds');
      expect((await statusOf(batchId)).status).toBe('pending');
    }
    // Cancel the batch instead of waiting until the reconciler starts it.
    await call(`/v1/batch/${batchId}/cancel`, { method: 'POST' });
    expect((await waitUntilFinished(batchId)).status).toBe('failed');
    const ages = collectMetrics(await readLogLines(service, since)).get('OldestUnfinishedBatch');
    expect(ages?.some(({ value }) => value >= 1)).toBe(true);
  });
});

describe('jobs-failing: predictions cannot read their input', () => {
  it('the fault shows as a service fault in the log of assemble-raster and in the metric', async () => {
    const since = new Date();
    await using _forbidden = await operator.forbid('PipelinePredict', ['s3:GetObject']);
    const batchId = await postBatch([SEVERAL_PATCH_BATCHES]);
    expect(await waitUntilFinished(batchId)).toMatchObject({ status: 'failed' });
    await findLine(since, { event: 'assemble-raster', batch_id: batchId, error: 'internal' });
    await findLine(since, { event: 'predict-patch-batch', batch_id: batchId, outcome: 'threw' });
    const jobs = collectMetrics(await readLogLines(service, since)).get('JobsFinished');
    expect(jobs).toContainEqual({ kind: 'failed', value: 1 });
  });
});

describe('error-rate: an operation may not read the table', () => {
  it('the fault shows in log lines that name the denial, and ends when the permission is restored', async () => {
    const since = new Date();
    const batchId = await postBatch([EMPTY]);
    {
      await using _forbidden = await operator.forbid('ApiBatches', ['dynamodb:*']);
      expect((await call(`/v1/batch/${batchId}/status`)).status).toBe(500);
      const found = await findLine(since, { event: 'batch-status', outcome: 'failed' });
      expect(JSON.stringify(found.fields?.['fault'])).toContain('AccessDenied');
    }
    expect((await call(`/v1/batch/${batchId}/status`)).status).toBe(200);
  });
});

describe('reconciler-silent: the reconciler may not read the table', () => {
  it('the fault shows in a missing log line and a missing metric, and a manual invocation later succeeds', async () => {
    {
      await using _forbidden = await operator.forbid('ReconcilerReconcile', ['dynamodb:*']);
      // A scheduled run in progress will have ended after this invocation.
      await operator.invoke('ReconcilerReconcile', {});
      const since = new Date();
      expect((await operator.invoke('ReconcilerReconcile', {})).failed).toBe(true);
      const lines = await readLogLines(service, since);
      expect(lines.filter(({ fields }) => fields?.['event'] === 'reconciled')).toEqual([]);
      expect(collectMetrics(lines).get('ReconcilerRuns')).toBeUndefined();
      expect(lines.some(({ text }) => text.includes('AccessDenied'))).toBe(true);
    }
    const since = new Date();
    expect((await operator.invoke('ReconcilerReconcile', {})).failed).toBe(false);
    await findLine(since, { event: 'reconciled', outcome: 'ok' });
    expect(
      collectMetrics(await readLogLines(service, since)).get('ReconcilerRuns')?.[0]?.value,
    ).toBe(1);
  });
});

describe('signing-key-old: the hourly check', () => {
  it('reports the age of the key', async () => {
    const since = new Date();
    expect((await operator.invoke('SigningKeyRemoveReplaced', {})).failed).toBe(false);
    const found = await findLine(since, { event: 'signing-keys-kept' });
    expect(Number(found.fields?.['key_age_seconds'])).toBeGreaterThan(0);
    expect(
      collectMetrics(await readLogLines(service, since)).get('SigningKeyAge')?.length,
    ).toBeGreaterThan(0);
  });
});

describe('late-deliveries: the queue is not read', () => {
  it('the fault shows in the gauge of queued webhooks, and the webhook arrives when the queue is read again', async () => {
    const since = new Date();
    let received = 0;
    await using receiver = await receiveHttp((_, response) => {
      received += 1;
      response.writeHead(204).end();
    });
    let batchId: string;
    {
      await using _disconnected = await operator.disconnect('WebhooksDeliver');
      batchId = await postBatch([EMPTY], receiver.url);
      await waitUntilFinished(batchId);
      await operator.invoke('ReconcilerReconcile', {});
      await findReconcilerLine(since, 'undelivered');
      expect(received).toBe(0);
    }
    await findLine(since, { event: 'delivery', batch_id: batchId, outcome: 'acknowledged' });
    expect(received).toBe(1);
  });
});
