import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../../lambdas/domain/admission/claim.ts';
import { dayOf } from '../../../../lambdas/domain/admission/quota.ts';
import { addSeconds } from '../../../../lambdas/domain/clock.ts';
import type { OutboxEvent } from '../../../../lambdas/domain/delivery/outbox.ts';
import type { JobError } from '../../../../lambdas/domain/job/job.ts';
import { aBatch, aBlock, aPlan, aPlannedJob } from '../builders.ts';
import { everyOne } from './pages.ts';
import type { Stores } from './stores.ts';

const AT = '2026-03-01T10:00:00.000Z';
const LATER = '2026-03-01T10:00:05.000Z';

const INTERNAL: JobError = { code: 'internal', message: 'ours', location: null };

/** What every implementation of the state's ports does, in memory or in a table. */
export function storesContract(name: string, open: () => Stores): void {
  describe(`a batch in ${name}`, () => {
    it('is read as it was created, its metadata to the letter', async () => {
      const { batches } = open();
      const batch = aBatch({
        model: 'meuse-soc',
        hectaresPerJob: 12,
        webhook: { url: 'https://example.org/hook', secretCiphertext: 'c2VjcmV0', jobs: 'none' },
      });
      await batches.create(batch, '{"z":1.0,"a":1e400,"é":"\\ud800"}');
      expect(await batches.read(batch.batchId)).toEqual(batch);
      expect(await batches.readMetadata(batch.batchId)).toBe('{"z":1.0,"a":1e400,"é":"\\ud800"}');
    });

    it('has no metadata when none was sent, and does not exist under another id', async () => {
      const { batches } = open();
      const batch = aBatch();
      await batches.create(batch, null);
      expect(await batches.readMetadata(batch.batchId)).toBeNull();
      expect(await batches.read(aBatch().batchId)).toBeNull();
    });

    it('can be created only once', async () => {
      const { batches } = open();
      const batch = aBatch();
      await batches.create(batch, '{}');
      await expect(batches.create({ ...batch, tenant: 'other' }, '{}')).rejects.toThrow(/exists/);
      expect(await batches.read(batch.batchId)).toEqual(batch);
    });

    it('does not exist once its results have expired', async () => {
      const { batches, jobs } = open();
      const batch = aBatch({ resultsExpireAt: addSeconds(new Date().toISOString(), -60) });
      await batches.create(batch, '{}');
      expect(await batches.read(batch.batchId)).toBeNull();
      expect(await batches.readMetadata(batch.batchId)).toBeNull();
      expect(await jobs.list(batch.batchId)).toEqual([]);
    });

    it('starts once and keeps the first start', async () => {
      const { batches } = open();
      const batch = aBatch();
      await batches.create(batch, null);
      await batches.start(batch.batchId, AT);
      await batches.start(batch.batchId, LATER);
      const started = await batches.read(batch.batchId);
      expect(started?.state).toEqual({ status: 'processing', startedAt: AT });
      expect(started?.updatedAt).toBe(AT);
    });

    it('finishes once, with its event, and never starts again', async () => {
      const { batches, outbox } = open();
      const batch = aBatch();
      await batches.create(batch, null);
      await batches.start(batch.batchId, AT);
      const event = anEvent(batch.batchId);
      const outcome = { status: 'partial', completedAt: LATER } as const;
      const finishes = await Promise.all([
        batches.finish(batch.batchId, outcome, event),
        batches.finish(batch.batchId, { ...outcome, status: 'failed' }, { ...event, attempts: 3 }),
      ]);
      expect(finishes.toSorted()).toEqual(['already-final', 'finished']);
      const won = finishes[0] === 'finished' ? 'partial' : 'failed';
      await batches.start(batch.batchId, '2026-03-01T11:00:00.000Z');
      expect((await batches.read(batch.batchId))?.state).toEqual({
        status: won,
        startedAt: AT,
        completedAt: LATER,
      });
      expect((await outbox.read(batch.batchId))?.attempts).toBe(won === 'partial' ? 0 : 3);
    });

    it('finishes from pending without an event when it has no webhook', async () => {
      const { batches, outbox } = open();
      const batch = aBatch();
      await batches.create(batch, null);
      const outcome = { status: 'failed', completedAt: AT } as const;
      expect(await batches.finish(batch.batchId, outcome, null)).toBe('finished');
      expect((await batches.read(batch.batchId))?.state).toEqual({
        status: 'failed',
        startedAt: null,
        completedAt: AT,
      });
      expect(await outbox.read(batch.batchId)).toBeNull();
    });

    it('keeps the first request to cancel it, and takes none once it is final', async () => {
      const { batches } = open();
      const { batchId } = await created(batches);
      expect(await batches.requestCancel(batchId, AT)).toBe('changed');
      expect(await batches.requestCancel(batchId, LATER)).toBe('changed');
      expect((await batches.read(batchId))?.cancelRequestedAt).toBe(AT);
      await batches.finish(batchId, { status: 'failed', completedAt: LATER }, null);
      expect(await batches.requestCancel(batchId, LATER)).toBe('unchanged');
    });

    it('counts a restart once, however many claim it, and none once it is to be cancelled', async () => {
      const { batches } = open();
      const { batchId } = await created(batches);
      const claims = await Promise.all([0, 0, 0].map((n) => batches.claimRestart(batchId, n, AT)));
      expect(claims.filter((claim) => claim === 'changed')).toHaveLength(1);
      expect(await batches.claimRestart(batchId, 1, AT)).toBe('changed');
      expect((await batches.read(batchId))?.restarts).toBe(2);
      await batches.requestCancel(batchId, LATER);
      expect(await batches.claimRestart(batchId, 2, LATER)).toBe('unchanged');
    });

    it('is retried by one batch, whoever else asks', async () => {
      const { batches } = open();
      const { batchId } = await created(batches);
      const candidates = [aBatch().batchId, aBatch().batchId, aBatch().batchId];
      const retries = await Promise.all(candidates.map((id) => batches.claimRetry(batchId, id)));
      expect(new Set(retries).size).toBe(1);
      expect(candidates).toContain(retries[0]);
      expect(await batches.claimRetry(batchId, aBatch().batchId)).toBe(retries[0]);
    });

    it('remembers what it retries and for which batch its secret was sealed', async () => {
      const { batches } = open();
      const [retryOf, sealedFor] = [aBatch().batchId, aBatch().batchId];
      const url = 'https://example.org/hook';
      const webhook = { url, secretCiphertext: 'c2VjcmV0', jobs: 'full', sealedFor } as const;
      const batch = aBatch({ retryOf, webhook });
      await batches.create(batch, null);
      expect(await batches.read(batch.batchId)).toEqual(batch);
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
        await batches.create({ ...batch, resultsExpireAt: far }, null);
      }
      const before = '2026-02-02T00:00:00.000Z';
      const known = async () => {
        const ids = await everyOne(batches.unfinished({ before }, null));
        return ids.filter((id) => [first, second, young].some(({ batchId }) => batchId === id));
      };
      expect(await known()).toEqual([first.batchId, second.batchId]);
      await batches.finish(first.batchId, { status: 'completed', completedAt: AT }, null);
      expect(await known()).toEqual([second.batchId]);
    });
  });

  describe(`what a batch claims in ${name}`, () => {
    const claim = (changes: Partial<Claim> = {}): Claim => ({
      day: dayOf(new Date().toISOString()),
      wanted: { jobs: 3, squareMetres: 25_001 },
      limit: { jobs: 9, squareMetres: 100_000 },
      idempotency: null,
      ...changes,
    });
    const aTenant = () => `tenant-${randomUUID()}`;

    it('is counted to the square metre, until nothing more fits', async () => {
      const { batches, quotas } = open();
      const tenant = aTenant();
      const mine = claim();
      const outcomes = [];
      for (let i = 0; i < 4; i++) {
        outcomes.push(await batches.create(aBatch({ tenant }), null, mine));
      }
      expect(outcomes).toEqual(['created', 'created', 'created', 'over-quota']);
      const used = { jobs: 9, squareMetres: 75_003 };
      const givenBack = { jobs: 0, squareMetres: 0 };
      expect(await quotas.use(tenant, mine.day)).toEqual({ used, givenBack });
    });

    it('is bounded by area as by jobs, and by neither on another day', async () => {
      const { batches } = open();
      const tenant = aTenant();
      const wide = claim({ wanted: { jobs: 1, squareMetres: 60_000 } });
      expect(await batches.create(aBatch({ tenant }), null, wide)).toBe('created');
      expect(await batches.create(aBatch({ tenant }), null, wide)).toBe('over-quota');
      const tomorrow = { ...wide, day: '2099-01-01' };
      expect(await batches.create(aBatch({ tenant }), null, tomorrow)).toBe('created');
    });

    it('leaves no batch behind when it does not fit', async () => {
      const { batches } = open();
      const tenant = aTenant();
      const all = claim({ wanted: { jobs: 9, squareMetres: 0 } });
      await batches.create(aBatch({ tenant }), null, all);
      const late = aBatch({ tenant });
      await batches.create(late, '{}', all);
      expect(await batches.read(late.batchId)).toBeNull();
      expect(await batches.readMetadata(late.batchId)).toBeNull();
    });

    it('names the first batch of an idempotency key, even when nothing more would fit', async () => {
      const { batches, idempotencyKeys, quotas } = open();
      const tenant = aTenant();
      const idempotency = { key: 'order-1', digest: 'd'.repeat(64) };
      const all = claim({ wanted: { jobs: 9, squareMetres: 0 }, idempotency });
      const first = aBatch({ tenant });
      expect(await idempotencyKeys.find(tenant, 'order-1')).toBeNull();
      expect(await batches.create(first, null, all)).toBe('created');
      expect(await batches.create(aBatch({ tenant }), null, all)).toBe('key-taken');
      expect(await idempotencyKeys.find(tenant, 'order-1')).toEqual({
        digest: idempotency.digest,
        batchId: first.batchId,
        createdAt: first.createdAt,
      });
      expect((await quotas.use(tenant, all.day)).used.jobs).toBe(9);
      expect(await idempotencyKeys.find(aTenant(), 'order-1')).toBeNull();
    });

    it('frees an idempotency key after a day', async () => {
      const { batches, idempotencyKeys } = open();
      const tenant = aTenant();
      const idempotency = { key: 'order-1', digest: 'd'.repeat(64) };
      const old = aBatch({ tenant }, new Date(Date.now() - 86_401_000));
      expect(await batches.create(old, null, claim({ idempotency }))).toBe('created');
      expect(await idempotencyKeys.find(tenant, 'order-1')).toBeNull();
      const young = aBatch({ tenant });
      expect(await batches.create(young, null, claim({ idempotency }))).toBe('created');
      const known = await idempotencyKeys.find(tenant, 'order-1');
      expect(known?.batchId).toBe(young.batchId);
    });

    it('is given back once, by whoever finishes the batch', async () => {
      const { batches, quotas } = open();
      const tenant = aTenant();
      const mine = claim();
      const batch = aBatch({ tenant });
      await batches.create(batch, null, mine);
      const giveBack = { tenant, day: mine.day, amount: { jobs: 2, squareMetres: 20_000 } };
      const outcome = { status: 'partial', completedAt: LATER } as const;
      await Promise.all(
        [1, 2, 3].map(() => batches.finish(batch.batchId, outcome, null, giveBack)),
      );
      expect(await quotas.use(tenant, mine.day)).toEqual({
        used: { jobs: 1, squareMetres: 5_001 },
        givenBack: giveBack.amount,
      });
    });
  });

  describe(`a job in ${name}`, () => {
    it('begins once and is read as it was planned', async () => {
      const { batches, jobs } = open();
      const { batchId } = await created(batches);
      expect(await jobs.read(batchId, 0)).toBeNull();
      expect(await jobs.begin(batchId, 0, aPlannedJob(), AT)).toBe('changed');
      const again = aPlannedJob({ totalPatchBatches: 9 });
      expect(await jobs.begin(batchId, 0, again, LATER)).toBe('unchanged');
      expect(await jobs.read(batchId, 0)).toEqual({
        index: 0,
        state: { status: 'processing' },
        updatedAt: AT,
        model: aPlannedJob().model,
        warnings: aPlannedJob().warnings,
        use: { shares: 2, predictionMs: 0 },
        progress: {
          totalPatchBatches: 3,
          completedPatchBatches: 0,
          pointCount: 300,
          completedPoints: 0,
          predictedPoints: 0,
        },
      });
    });

    it('completes only from processing, and a final state stays', async () => {
      const { batches, jobs } = open();
      const { batchId } = await created(batches);
      expect(await jobs.complete(batchId, 0, AT)).toBe('unchanged');
      await jobs.begin(batchId, 0, aPlannedJob(), AT);
      expect(await jobs.complete(batchId, 0, LATER, 4_096)).toBe('changed');
      expect(await jobs.complete(batchId, 0, AT)).toBe('unchanged');
      expect(await jobs.fail(batchId, 0, INTERNAL, AT)).toBe('unchanged');
      expect(await jobs.begin(batchId, 0, aPlannedJob(), AT)).toBe('unchanged');
      const state = { status: 'completed', completedAt: LATER };
      const record = await jobs.read(batchId, 0);
      expect(record?.state).toEqual(state);
      expect(record?.use).toEqual({ shares: 2, predictionMs: 0, rasterBytes: 4_096 });
    });

    it('is completed by who knows nothing of its raster too', async () => {
      const { batches, jobs } = open();
      const { batchId } = await created(batches);
      await jobs.begin(batchId, 0, aPlannedJob(), AT);
      expect(await jobs.complete(batchId, 0, LATER)).toBe('changed');
      expect((await jobs.read(batchId, 0))?.use).toEqual({ shares: 2, predictionMs: 0 });
    });

    it('fails before it was planned, with what is wrong and where', async () => {
      const { batches, jobs } = open();
      const { batchId } = await created(batches);
      const error: JobError = {
        code: 'geometry_self_intersection',
        message: 'Ring 0 intersects itself',
        location: { ring: 0, vertex: 2, lon: 5.74, lat: 50.973 },
      };
      expect(await jobs.fail(batchId, 2, error, AT)).toBe('changed');
      expect(await jobs.read(batchId, 2)).toEqual({
        index: 2,
        state: { status: 'failed', completedAt: AT, error },
        updatedAt: AT,
        model: null,
        warnings: [],
        progress: null,
      });
      expect(await jobs.begin(batchId, 2, aPlannedJob(), LATER)).toBe('unchanged');
    });

    it('keeps what was planned when it fails later', async () => {
      const { batches, jobs } = open();
      const { batchId } = await created(batches);
      await jobs.begin(batchId, 1, aPlannedJob(), AT);
      expect(await jobs.fail(batchId, 1, INTERNAL, LATER)).toBe('changed');
      const failed = await jobs.read(batchId, 1);
      expect(failed?.progress?.pointCount).toBe(300);
      expect(failed?.state).toMatchObject({ status: 'failed', error: INTERNAL });
    });

    it('knows every upload of its raster that was begun while it ran, and takes none later', async () => {
      const { batches, jobs } = open();
      const { batchId } = await created(batches);
      expect(await jobs.announceUpload(batchId, 0, 'too early', AT)).toBe('unchanged');
      expect(await jobs.read(batchId, 0)).toBeNull();
      await jobs.begin(batchId, 0, aPlannedJob(), AT);
      expect(await jobs.announceUpload(batchId, 0, 'first', AT)).toBe('changed');
      expect(await jobs.announceUpload(batchId, 0, 'second', LATER)).toBe('changed');
      await jobs.fail(batchId, 0, INTERNAL, LATER);
      expect(await jobs.announceUpload(batchId, 0, 'too late', LATER)).toBe('unchanged');
      expect((await jobs.list(batchId))[0]?.uploads).toEqual(['first', 'second']);
    });

    it('is listed by index, and only with its own batch', async () => {
      const { batches, jobs } = open();
      const [{ batchId }, other] = [await created(batches), await created(batches)];
      for (const index of [10, 2, 999]) await jobs.begin(batchId, index, aPlannedJob(), AT);
      await jobs.begin(other.batchId, 0, aPlannedJob(), AT);
      expect((await jobs.list(batchId)).map(({ index }) => index)).toEqual([2, 10, 999]);
    });
  });

  describe(`a plan in ${name}`, () => {
    it('is the first that was written', async () => {
      const { batches, patchBatches } = open();
      const { batchId } = await created(batches);
      expect(await patchBatches.readPlan(batchId, 0)).toBeNull();
      expect(await patchBatches.writePlan(batchId, 0, aPlan(400))).toEqual(aPlan(400));
      expect(await patchBatches.writePlan(batchId, 0, aPlan(2))).toEqual(aPlan(400));
      expect(await patchBatches.readPlan(batchId, 0)).toEqual(aPlan(400));
      expect(await patchBatches.readPlan(batchId, 1)).toBeNull();
    });
  });

  describe(`a patch-batch in ${name}`, () => {
    it('keeps the time of its first start', async () => {
      const { patchBatches, batchId } = await begun(open());
      expect(await patchBatches.start(batchId, 0, 1, AT)).toBe('changed');
      expect(await patchBatches.start(batchId, 0, 1, LATER)).toBe('changed');
      expect(await patchBatches.read(batchId, 0, 1)).toEqual({
        idx: 1,
        status: 'processing',
        createdAt: AT,
        updatedAt: LATER,
      });
    });

    it('is counted once, however often and at whatever time it completes', async () => {
      const { patchBatches, jobs, batchId } = await begun(open());
      const outcome = { predictedPoints: 90, inferenceDurationMs: 12 };
      expect(await patchBatches.complete(batchId, 0, aBlock(0), outcome, AT)).toBe('unchanged');
      await Promise.all([0, 1, 2].map((idx) => patchBatches.start(batchId, 0, idx, AT)));
      const transitions = await Promise.all(
        [0, 1, 2, 0, 1, 2].map((idx) =>
          patchBatches.complete(batchId, 0, aBlock(idx), outcome, LATER),
        ),
      );
      expect(transitions.filter((transition) => transition === 'changed')).toHaveLength(3);
      expect((await jobs.read(batchId, 0))?.progress).toMatchObject({
        completedPatchBatches: 3,
        completedPoints: 300,
        predictedPoints: 270,
      });
      expect((await jobs.read(batchId, 0))?.use?.predictionMs).toBe(36);
      expect(await patchBatches.read(batchId, 0, 2)).toEqual({
        idx: 2,
        status: 'completed',
        createdAt: AT,
        updatedAt: LATER,
        ...outcome,
      });
    });

    it('counts no time for what it took over from another job', async () => {
      const { patchBatches, jobs, batchId } = await begun(open());
      await patchBatches.start(batchId, 0, 0, AT);
      const outcome = { predictedPoints: 90, inferenceDurationMs: 12 };
      const reused = { ...outcome, isReused: true };
      expect(await patchBatches.complete(batchId, 0, aBlock(0), reused, LATER)).toBe('changed');
      expect((await jobs.read(batchId, 0))?.use?.predictionMs).toBe(0);
      expect(await patchBatches.read(batchId, 0, 0)).toMatchObject(outcome);
    });

    it('counts nothing once its job is final', async () => {
      const { patchBatches, jobs, batchId } = await begun(open());
      await patchBatches.start(batchId, 0, 0, AT);
      await jobs.fail(batchId, 0, INTERNAL, AT);
      const outcome = { predictedPoints: 90, inferenceDurationMs: 12 };
      expect(await patchBatches.complete(batchId, 0, aBlock(0), outcome, LATER)).toBe('unchanged');
      expect((await jobs.read(batchId, 0))?.progress?.completedPatchBatches).toBe(0);
      expect((await patchBatches.read(batchId, 0, 0))?.status).toBe('processing');
    });

    it.each(['failed', 'completed', 'not yet begun'] as const)(
      'is not written by a late step of a job that is %s',
      async (ended) => {
        const stores = open();
        const { patchBatches, jobs } = stores;
        const { batchId } = await (ended === 'not yet begun'
          ? created(stores.batches)
          : begun(stores));
        if (ended === 'failed') await jobs.fail(batchId, 0, INTERNAL, AT);
        if (ended === 'completed') await jobs.complete(batchId, 0, AT);
        const failure = { code: 'internal', reason: 'ours' } as const;
        expect(await patchBatches.start(batchId, 0, 0, LATER)).toBe('unchanged');
        expect(await patchBatches.fail(batchId, 0, 0, failure, LATER)).toBe('unchanged');
        expect(await patchBatches.read(batchId, 0, 0)).toBeNull();
      },
    );

    it('fails from pending or processing, and stays failed', async () => {
      const { patchBatches, batchId } = await begun(open());
      const failure = { code: 'covariate_unavailable', reason: 'river_distance' } as const;
      expect(await patchBatches.fail(batchId, 0, 0, failure, AT)).toBe('changed');
      await patchBatches.start(batchId, 0, 1, AT);
      expect(await patchBatches.fail(batchId, 0, 1, failure, LATER)).toBe('changed');
      expect(await patchBatches.start(batchId, 0, 1, LATER)).toBe('unchanged');
      const outcome = { predictedPoints: 1, inferenceDurationMs: 1 };
      expect(await patchBatches.complete(batchId, 0, aBlock(1), outcome, LATER)).toBe('unchanged');
      expect(await patchBatches.read(batchId, 0, 1)).toEqual({
        idx: 1,
        status: 'failed',
        createdAt: AT,
        updatedAt: LATER,
        failureReason: 'river_distance',
        failureCode: 'covariate_unavailable',
      });
    });

    it('keeps its final state and its count, whatever steps come in whatever order', async () => {
      const step = fc.tuple(fc.constantFrom(...WRITES), fc.constantFrom(0, 1, 2));
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const stores = open();
          const { batchId } = await created(stores.batches);
          let before = await finalStates(stores, batchId);
          for (const step of steps) {
            await apply(stores, batchId, step);
            const after = await finalStates(stores, batchId);
            expect(after).toMatchObject(before);
            before = after;
          }
          const records = await stores.patchBatches.range(batchId, 0, 0, 3);
          const completed = records.filter(({ status }) => status === 'completed').length;
          const job = await stores.jobs.read(batchId, 0);
          expect(job?.progress?.completedPatchBatches ?? 0).toBe(completed);
          expect(job?.progress?.completedPoints ?? 0).toBe(completed * 100);
        }),
        { numRuns: 20 },
      );
    });

    it('is found in ranges by index, without those still pending', async () => {
      const { patchBatches, batchId } = await begun(open());
      for (const idx of [0, 2, 11]) await patchBatches.start(batchId, 0, idx, AT);
      const idxs = async (first: number, end: number) =>
        (await patchBatches.range(batchId, 0, first, end)).map(({ idx }) => idx);
      expect(await idxs(0, 12)).toEqual([0, 2, 11]);
      expect(await idxs(1, 11)).toEqual([2]);
      expect(await idxs(5, 5)).toEqual([]);
    });
  });
}

/** A step's write on job 0 and patch-batch `idx`, by name. */
const WRITES = ['begin', 'start', 'finish', 'fail', 'complete job', 'fail job'] as const;
type Write = readonly [(typeof WRITES)[number], 0 | 1 | 2];

async function apply(stores: Stores, batchId: string, [write, idx]: Write): Promise<unknown> {
  const { jobs, patchBatches } = stores;
  const failure = { code: 'internal', reason: 'ours' } as const;
  const outcome = { predictedPoints: 90, inferenceDurationMs: 1 };
  switch (write) {
    case 'begin':
      return jobs.begin(batchId, 0, aPlannedJob(), AT);
    case 'start':
      return patchBatches.start(batchId, 0, idx, AT);
    case 'finish':
      return patchBatches.complete(batchId, 0, aBlock(idx), outcome, AT);
    case 'fail':
      return patchBatches.fail(batchId, 0, idx, failure, AT);
    case 'complete job':
      return jobs.complete(batchId, 0, AT);
    case 'fail job':
      return jobs.fail(batchId, 0, INTERNAL, AT);
  }
}

function anEvent(batchId: string): OutboxEvent {
  return {
    batchId,
    event: 'batch.completed',
    eventId: 'b1a1e6b4-2b1e-5f43-8d5e-0d5a2b1f6c11',
    state: 'due',
    attempts: 0,
    nextAttemptAt: LATER,
  };
}

/** Everything of the batch that may never change again, by name. */
async function finalStates({ jobs, patchBatches }: Stores, batchId: string) {
  const job = await jobs.read(batchId, 0);
  const records = await patchBatches.range(batchId, 0, 0, 3);
  const final = records.filter(({ status }) => status !== 'processing');
  return {
    ...(job === null || job.state.status === 'processing' ? {} : { job }),
    ...Object.fromEntries(final.map((record) => [`patch-batch ${record.idx}`, record])),
  };
}

async function created(batches: Stores['batches']) {
  const batch = aBatch();
  await batches.create(batch, null);
  return batch;
}

async function begun(stores: Stores) {
  const { batchId } = await created(stores.batches);
  await stores.jobs.begin(batchId, 0, aPlannedJob(), AT);
  return { ...stores, batchId };
}
