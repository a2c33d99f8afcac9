import { describe, expect, it } from 'vitest';
import type { Stores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import type { OutboxEvent } from '../../../lambdas/domain/delivery/outbox.ts';
import { TransientFailure } from '../../../lambdas/domain/step-failure.ts';
import { AT, createBatch, LATER } from '../domain/begun-batch.ts';
import { aBatch, anEnd } from '../domain/builders.ts';
import { collectHints } from './every-hint.ts';

export function batchContract(name: string, open: () => Stores): void {
  describe(`a batch in ${name}`, () => {
    it('is read as it was created, with its exact metadata', async () => {
      const { batches } = open();
      const batch = aBatch({
        model: 'meuse-soc',
        name: 'Äcker 2026',
        hectares_per_job: 12,
        webhook: { url: 'https://example.org/hook', secret_ciphertext: 'c2VjcmV0', jobs: 'none' },
      });
      await batches.create(batch, '{"z":1.0,"a":1e400,"é":"\\ud800"}');
      expect(await batches.readBatch(batch.batch_id)).toEqual(batch);
      expect(await batches.readMetadata(batch.batch_id)).toBe('{"z":1.0,"a":1e400,"é":"\\ud800"}');
    });

    it('has no metadata if none was sent, and does not exist under another ID', async () => {
      const { batches } = open();
      const batch = aBatch();
      await batches.create(batch, null);
      expect(await batches.readMetadata(batch.batch_id)).toBeNull();
      expect(await batches.readBatch(aBatch().batch_id)).toBeNull();
    });

    it('is read together with others, in the order of the given IDs', async () => {
      const { batches } = open();
      const expired = aBatch({ results_expire_at: addSeconds(new Date().toISOString(), -60) });
      const [first, second] = [aBatch(), aBatch({ name: 'second' })];
      for (const batch of [first, expired, second]) await batches.create(batch, `"${batch.name}"`);
      const unknown = aBatch().batch_id;
      const ids = [second.batch_id, unknown, expired.batch_id, first.batch_id];
      expect(await batches.readBatches(ids)).toEqual([second, null, null, first]);
      expect(await batches.readAllMetadata(ids)).toEqual(['"second"', null, null, '"undefined"']);
      expect(await batches.readBatches([])).toEqual([]);
    });

    it('can be created only once', async () => {
      const { batches } = open();
      const batch = aBatch();
      await batches.create(batch, '{}');
      await expect(batches.create({ ...batch, tenant: 'other' }, '{}')).rejects.toThrow(/exists/);
      expect(await batches.readBatch(batch.batch_id)).toEqual(batch);
    });

    it('does not exist once its results have expired', async () => {
      const { batches, jobs } = open();
      const batch = aBatch({ results_expire_at: addSeconds(new Date().toISOString(), -60) });
      await batches.create(batch, '{}');
      expect(await batches.readBatch(batch.batch_id)).toBeNull();
      expect(await batches.readMetadata(batch.batch_id)).toBeNull();
      expect(await jobs.list(batch.batch_id)).toEqual([]);
    });

    it('starts once and keeps the first start', async () => {
      const { batches } = open();
      const batch = aBatch();
      await batches.create(batch, null);
      await batches.start(batch.batch_id, AT);
      await batches.start(batch.batch_id, LATER);
      const started = await batches.readBatch(batch.batch_id);
      expect(started).toEqual({ ...batch, status: 'processing', started_at: AT, updated_at: AT });
    });

    it('finishes once, with its event, and never restarts', async () => {
      const { batches, outbox } = open();
      const batch = aBatch();
      await batches.create(batch, null);
      await batches.start(batch.batch_id, AT);
      const event = anEvent(batch.batch_id);
      const last = addSeconds(LATER, 1);
      const outcome = { ...anEnd('partial', LATER), completed_jobs: 2, updated_at: last };
      const finishes = await Promise.all([
        batches.finish(batch.batch_id, outcome, event),
        batches.finish(batch.batch_id, { ...outcome, status: 'failed' }, { ...event, attempts: 3 }),
      ]);
      expect(finishes.toSorted()).toEqual(['already-final', 'finished']);
      const won = finishes[0] === 'finished' ? 'partial' : 'failed';
      await batches.start(batch.batch_id, '2026-03-01T11:00:00.000Z');
      expect(await batches.readBatch(batch.batch_id)).toMatchObject({
        status: won,
        started_at: AT,
        completed_at: LATER,
        completed_jobs: 2,
        updated_at: last,
      });
      expect((await outbox.read(batch.batch_id, 'batch.completed'))?.attempts).toBe(
        won === 'partial' ? 0 : 3,
      );
    });

    it('can finish while pending, and finishes without an event if it has no webhook', async () => {
      const { batches, outbox } = open();
      const batch = aBatch();
      await batches.create(batch, null);
      const outcome = anEnd('failed', AT);
      expect(await batches.finish(batch.batch_id, outcome, null)).toBe('finished');
      expect(await batches.readBatch(batch.batch_id)).toEqual({
        ...batch,
        status: 'failed',
        updated_at: AT,
        started_at: null,
        completed_at: AT,
        completed_jobs: 0,
      });
      expect(await outbox.read(batch.batch_id, 'batch.completed')).toBeNull();
    });

    it('keeps the first cancellation request, and accepts none once it is final', async () => {
      const { batches } = open();
      const { batch_id: batchId } = await createBatch(batches);
      expect(await batches.requestCancel(batchId, AT)).toBe('changed');
      expect(await batches.requestCancel(batchId, LATER)).toBe('changed');
      expect((await batches.readBatch(batchId))?.cancel_requested_at).toBe(AT);
      await batches.finish(batchId, anEnd('failed', LATER), null);
      expect(await batches.requestCancel(batchId, LATER)).toBe('unchanged');
    });

    it('counts a restart once, however many processes claim it, and none once cancellation was requested', async () => {
      const { batches } = open();
      const { batch_id: batchId } = await createBatch(batches);
      const claims = await Promise.all([0, 0, 0].map((n) => batches.claimRestart(batchId, n, AT)));
      expect(claims.filter((claim) => claim === 'changed')).toHaveLength(1);
      expect(await batches.claimRestart(batchId, 1, AT)).toBe('changed');
      expect(await batches.claimRestart(batchId, 1, LATER)).toBe('unchanged');
      expect((await batches.readBatch(batchId))?.restarts).toBe(2);
      await batches.requestCancel(batchId, LATER);
      expect(await batches.claimRestart(batchId, 2, LATER)).toBe('unchanged');
    });

    it('is retried by one batch, however often a retry is requested', async () => {
      const { batches } = open();
      const { batch_id: batchId } = await createBatch(batches);
      const claims = [null, [0], [1, 2]].map((jobs) => ({ batchId: aBatch().batch_id, jobs }));
      const retries = await Promise.all(claims.map((claim) => batches.claimRetry(batchId, claim)));
      const [recorded] = retries;
      for (const retry of retries) expect(retry).toEqual(recorded);
      expect(claims).toContainEqual(recorded);
      const late = { batchId: aBatch().batch_id, jobs: [0] };
      expect(await batches.claimRetry(batchId, late)).toEqual(recorded);
    });

    it('can be retried by another batch once the first retry is abandoned; the first then cannot be created', async () => {
      const { batches } = open();
      const { batch_id: batchId } = await createBatch(batches);
      const [first, second] = [aBatch({ retry_of: batchId }), aBatch({ retry_of: batchId })];
      await batches.claimRetry(batchId, { batchId: first.batch_id, jobs: null });
      const claim = { batchId: second.batch_id, jobs: [2] };
      expect(await batches.claimRetry(batchId, claim, aBatch().batch_id)).toEqual({
        batchId: first.batch_id,
        jobs: null,
      });
      expect(await batches.claimRetry(batchId, claim, first.batch_id)).toEqual(claim);
      await expect(batches.create(first, null)).rejects.toThrow(TransientFailure);
      expect(await batches.readBatch(first.batch_id)).toBeNull();
      expect(await batches.create(second, null)).toBe('created');
    });

    it('keeps a retry that was created, even if a later request declares it abandoned', async () => {
      const { batches } = open();
      const { batch_id: batchId } = await createBatch(batches);
      const first = aBatch({ retry_of: batchId });
      const recorded = { batchId: first.batch_id, jobs: null };
      await batches.claimRetry(batchId, recorded);
      await batches.create(first, null);
      const late = aBatch({ retry_of: batchId });
      const claim = { batchId: late.batch_id, jobs: [2] };
      expect(await batches.claimRetry(batchId, claim, first.batch_id)).toEqual(recorded);
      await expect(batches.create(late, null)).rejects.toThrow(TransientFailure);
    });

    it('is retried by a single batch if a retry is created while another request replaces it', async () => {
      const { batches } = open();
      const { batch_id: batchId } = await createBatch(batches);
      const [first, second] = [aBatch({ retry_of: batchId }), aBatch({ retry_of: batchId })];
      await batches.claimRetry(batchId, { batchId: first.batch_id, jobs: null });
      const claim = { batchId: second.batch_id, jobs: [2] };
      const [, recorded] = await Promise.all([
        batches.create(first, null).catch((error: unknown) => error),
        batches.claimRetry(batchId, claim, first.batch_id),
      ]);
      const wasCreated = (await batches.readBatch(first.batch_id)) !== null;
      expect(recorded.batchId).toBe(wasCreated ? first.batch_id : second.batch_id);
    });

    it('stores which batch it retries and for which batch its secret was encrypted', async () => {
      const { batches } = open();
      const [retry_of, sealed_for] = [aBatch().batch_id, aBatch().batch_id];
      const url = 'https://example.org/hook';
      const webhook = { url, secret_ciphertext: 'c2VjcmV0', jobs: 'full', sealed_for } as const;
      const batch = aBatch({ retry_of, webhook });
      await batches.create(batch, null);
      expect(await batches.readBatch(batch.batch_id)).toEqual(batch);
    });

    it('is listed as unfinished until it is final', async () => {
      const { batches } = open();
      const [first, second, young] = [
        aBatch({}, new Date('2026-02-01T00:00:00Z')),
        aBatch({}, new Date('2026-02-01T00:00:01Z')),
        aBatch({}, new Date('2026-02-03T00:00:00Z')),
      ];
      const far = addSeconds(new Date().toISOString(), 86_400);
      for (const batch of [second, young, first]) {
        await batches.create({ ...batch, results_expire_at: far }, null);
      }
      const before = '2026-02-02T00:00:00.000Z';
      const known = async () => {
        const ids = await collectHints(batches.unfinished({ before }, null));
        return ids.filter((id) => [first, second, young].some(({ batch_id }) => batch_id === id));
      };
      expect(await known()).toEqual([first.batch_id, second.batch_id]);
      await batches.finish(first.batch_id, anEnd('completed', AT), null);
      expect(await known()).toEqual([second.batch_id]);
    });
  });
}

function anEvent(batchId: string): OutboxEvent {
  return {
    batch_id: batchId,
    event: 'batch.completed',
    event_id: 'b1a1e6b4-2b1e-5f43-8d5e-0d5a2b1f6c11',
    state: 'due',
    attempts: 0,
    next_attempt_at: LATER,
  };
}
