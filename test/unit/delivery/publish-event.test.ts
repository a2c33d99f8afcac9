import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { finishBatch } from '../../../lambdas/domain/batch/finish-batch.ts';
import {
  type BatchFinished,
  batchFinishedSchema,
} from '../../../lambdas/domain/delivery/batch-finished.ts';
import { publishEvent } from '../../../lambdas/domain/delivery/publish-event.ts';
import { aDeployment, postBatch } from '../../support/domain/deployment.ts';
import { FIELD } from '../../support/domain/polygons.ts';

const JOB = { polygon: FIELD, year: 2024 };

/** A finished batch of two failed jobs, and a bus whose first `failures` calls throw. */
async function makeFinished({ failures = 0, publishesEvents = true } = {}) {
  const deployment = { ...aDeployment(), publishesEvents };
  const { batch_id: batchId } = await postBatch(deployment, [JOB, JOB], { name: 'Ost' });
  await finishBatch(deployment, batchId);
  const received: { readonly detail: BatchFinished; readonly at: string }[] = [];
  let left = failures;
  const bus = {
    async put(detail: BatchFinished, at: string) {
      received.push({ detail, at });
      if (left-- > 0) throw new Error('the response was lost');
    },
  };
  return { publish: () => publishEvent({ ...deployment, bus }, batchId), received, batchId };
}

describe('the event of a finished batch', () => {
  it('matches its schema, and has the batch’s outcome and finishing time', async () => {
    const { publish, received, batchId } = await makeFinished();
    expect(await publish()).toBe('published');
    const [{ detail, at } = { detail: null, at: '' }] = received;
    expect(z.parse(batchFinishedSchema, detail)).toMatchObject({
      batch_id: batchId,
      name: 'Ost',
      status: 'failed',
      total_jobs: 2,
      completed_jobs: 0,
      failed_jobs: 2,
      completed_at: at,
      retry_of: null,
    });
  });

  it('is published once', async () => {
    const { publish, received } = await makeFinished();
    await publish();
    expect(await publish()).toBe('none');
    expect(received).toHaveLength(1);
  });

  it("is published again with the same ID if the bus's response was lost", async () => {
    const { publish, received } = await makeFinished({ failures: 1 });
    await expect(publish()).rejects.toThrow();
    expect(await publish()).toBe('published');
    const [first, second] = received;
    expect(second).toEqual(first);
  });

  it('is not published if the deployment publishes no events', async () => {
    const { publish, received } = await makeFinished({ publishesEvents: false });
    expect(await publish()).toBe('none');
    expect(received).toEqual([]);
  });
});
