import { describe, expect, it } from 'vitest';
import { PackFileUnavailable } from '#engine/model/pack/pack-files.ts';
import { finishBatch } from '../../../../lambdas/domain/batch/finish-batch.ts';
import { readBatch } from '../../../../lambdas/domain/batch/read-batch.ts';
import { copyMissing, copyResult } from '../../../../lambdas/domain/destination/copy-results.ts';
import {
  type ClientBuckets,
  DestinationRefused,
} from '../../../../lambdas/domain/destination/destination.ts';
import { requestCopies } from '../../../../lambdas/domain/destination/request-copies.ts';
import { jobIdOf, type NamedRun } from '../../../../lambdas/domain/identity.ts';
import { RUN_DAYS } from '../../../../lambdas/domain/limits.ts';
import {
  reconcileBatch,
  reconcileRun,
} from '../../../../lambdas/domain/reconcile/reconcile-batch.ts';
import { TransientFailure } from '../../../../lambdas/domain/step-failure.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD } from '../../../support/domain/polygons.ts';
import { readCompletedRecord, runJob } from '../../../support/domain/run-job.ts';

const DESTINATION = {
  bucket: 'farm',
  prefix: 'soil',
  role_arn: 'arn:aws:iam::111122223333:role/soil-batch',
  base_url: 'https://v2.soil.example',
};

async function makeWorld({ completed = 2 } = {}) {
  const deployment = aDeployment();
  const { files, open } = deployment.clientBuckets;
  let now = Date.parse('2026-03-04T05:00:00Z');
  let fault: (() => Error) | null = null;
  let unreadable: (() => Error | null) | null = null;
  let meanwhile: (() => Promise<unknown>) | null = null;
  let onceFailed: (() => Promise<unknown>) | null = null;
  const opened: string[] = [];
  const clientBuckets: ClientBuckets = {
    async open(access) {
      opened.push(access.tenant);
      if (fault !== null) throw fault();
      return open(access);
    },
  };
  const jobs = [FIELD, FIELD].map((polygon) => ({ polygon, year: 2024 }));
  const batch = await postBatch(deployment, jobs, { destination: DESTINATION });
  const { batch_id: batchId, tenant } = batch;
  for (let index = 0; index < completed; index++) await runJob(deployment, batchId, index);
  const ports = {
    ...deployment,
    clientBuckets,
    copies: {
      ...deployment.copies,
      async readCopies(id: string) {
        const state = await deployment.copies.readCopies(id);
        const action = onceFailed;
        if (state.failure !== null && action !== null) {
          onceFailed = null;
          await action();
        }
        return state;
      },
    },
    resultFiles: {
      open(...of: Parameters<typeof deployment.resultFiles.open>) {
        const { files, href } = deployment.resultFiles.open(...of);
        const readSize = async (path: string) => {
          const error = unreadable?.() ?? null;
          if (error !== null) throw error;
          return files.readSize(path);
        };
        return { files: { ...files, readSize }, href };
      },
    },
    clock: () => new Date(now),
    pause: async (seconds: number) => {
      now += seconds * 1_000;
      await meanwhile?.();
    },
    signer: { sign: async () => ({ url: 'https://x', createdAt: '', expiresAt: '' }) },
    jobsAtOnce: 1,
  };
  const folder = `s3://farm/soil/${batchId}`;
  return {
    deployment,
    files,
    opened,
    batchId,
    tenant,
    folder,
    uriOf: (index: number) => `${folder}/${jobIdOf(batchId, index)}.tif`,
    failWith: (made: (() => Error) | null) => {
      fault = made;
    },
    failReads: (made: () => Error | null) => {
      unreadable = made;
    },
    /** Acts while a copy waits for its next attempt. */
    meanwhile: (action: () => Promise<unknown>) => {
      meanwhile = action;
    },
    /** Acts when a copy has read that an earlier one failed. */
    onceFailed: (action: () => Promise<unknown>) => {
      onceFailed = action;
    },
    advance: (seconds: number) => {
      now += seconds * 1_000;
    },
    now: () => now,
    copy: (index: number) => copyResult(ports, batchId, index),
    copyMissing: () => copyMissing(ports, batchId),
    reconcile: () => reconcileBatch(ports, batchId),
    finish: () => finishBatch(ports, batchId),
    request: () => requestCopies(ports, tenant, batchId, async () => undefined),
    start: () => deployment.runner.start({ batch_id: batchId, total_jobs: 2, copies: true }),
    /** Ends all runs, and reports the end of one to the reconciler. */
    async end(kind: NamedRun['kind'], number: number) {
      for (const run of deployment.runner.all.values()) run.state = 'ended';
      return reconcileRun(ports, { batchId, kind, number });
    },
    async status() {
      const selection = { filter: 'all', updatedSince: null, page: null } as const;
      const reading = await readBatch(ports, tenant, batchId, selection);
      return {
        batch: reading?.copy.destination?.status,
        jobs: reading?.jobs.map(({ destination }) => destination?.status ?? null),
      };
    },
  };
}

const refused = (step: 'role' | 'write') => () =>
  new DestinationRefused({ step, code: 'AccessDenied' });

describe('the results of a batch with a destination', () => {
  it('are copied as they are completed, and its tables at the end', async () => {
    const { copy, finish, copyMissing: end, files, ...of } = await makeWorld();
    expect(await of.status()).toEqual({ batch: 'pending', jobs: ['pending', 'pending'] });
    expect((await copy(0)).kind).toBe('copied');
    expect(await of.status()).toEqual({ batch: 'pending', jobs: ['copied', 'pending'] });
    expect((await copy(1)).kind).toBe('copied');
    await finish();
    expect((await end()).kind).toBe('copied');
    expect(await of.status()).toEqual({ batch: 'copied', jobs: ['copied', 'copied'] });
    const { raster_bytes } = await readCompletedRecord(of.deployment, of.batchId);
    expect(files.get(of.uriOf(0))).toHaveLength(raster_bytes);
    const csv = Buffer.from(files.get(`${of.folder}/results.csv`) ?? []).toString();
    for (const index of [0, 1]) expect(csv).toContain(of.uriOf(index));
    const item = Buffer.from(files.get(of.uriOf(0).replace('.tif', '.json')) ?? []).toString();
    expect(JSON.parse(item).assets.data.href).toBe(of.uriOf(0));
    expect(files.size).toBe(6);
  });

  it('are copied once, with the role for the batch’s tenant', async () => {
    const { copy, opened, tenant } = await makeWorld();
    await copy(0);
    expect((await copy(0)).kind).toBe('nothing-to-do');
    await copy(1);
    expect(opened).toEqual([tenant, tenant]);
  });

  it('are not copied if the batch has no destination', async () => {
    const deployment = aDeployment();
    const batch = await postBatch(deployment, [{ polygon: FIELD, year: 2024 }]);
    await runJob(deployment, batch.batch_id);
    const ports = { ...deployment, pause: async () => undefined };
    expect((await copyResult(ports, batch.batch_id, 0)).kind).toBe('nothing-to-do');
    expect((await copyMissing(ports, batch.batch_id)).kind).toBe('nothing-to-do');
    expect(deployment.clientBuckets.files.size).toBe(0);
  });

  it('are not copied for a job that is not completed', async () => {
    const { copy, files } = await makeWorld({ completed: 1 });
    expect((await copy(1)).kind).toBe('nothing-to-do');
    expect(files.size).toBe(0);
  });
});

describe('a destination that refuses', () => {
  it('fails no job, and no other result of the batch is copied until the client requests it', async () => {
    const {
      copy,
      copyMissing: end,
      failWith,
      finish,
      opened,
      status,
      request,
      ...of
    } = await makeWorld();
    failWith(refused('role'));
    expect(await copy(0)).toMatchObject({ kind: 'refused', step: 'role' });
    expect((await copy(1)).kind).toBe('nothing-to-do');
    await finish();
    expect((await end()).kind).toBe('nothing-to-do');
    expect(opened).toHaveLength(1);
    expect(await status()).toEqual({ batch: 'failed', jobs: ['failed', 'failed'] });
    expect((await of.deployment.batches.readBatch(of.batchId))?.status).toBe('completed');

    failWith(null);
    expect((await request()).kind).toBe('requested');
    expect(await status()).toEqual({ batch: 'pending', jobs: ['pending', 'pending'] });
    expect(await request()).toMatchObject({ kind: 'refused', because: 'copying' });
    expect([...of.deployment.runner.all.keys()]).toEqual([`${of.batchId}.copy1`]);
    expect((await end()).kind).toBe('copied');
    expect(await status()).toEqual({ batch: 'copied', jobs: ['copied', 'copied'] });
    expect(await request()).toMatchObject({ kind: 'refused', because: 'copied' });
  });

  it('is tried for one to two minutes if the refusal may be temporary', async () => {
    const { copy, failWith, now } = await makeWorld();
    failWith(() => new TransientFailure('SlowDown'));
    const before = now();
    expect(await copy(0)).toMatchObject({ kind: 'refused', step: 'unavailable' });
    const seconds = (now() - before) / 1_000;
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThanOrEqual(120);
  });

  it('is tried no longer once it refuses permanently', async () => {
    const { copy, failWith, opened } = await makeWorld();
    failWith(() => (opened.length < 4 ? new TransientFailure('SlowDown') : refused('write')()));
    expect(await copy(0)).toMatchObject({ kind: 'refused', step: 'write' });
    expect(opened).toHaveLength(4);
  });
});

describe('a result that cannot be read for now', () => {
  const busy = () => new PackFileUnavailable('s3://results/x', 'SlowDown', { transient: true });

  it('is copied once it can be read again', async () => {
    const { copy, failReads } = await makeWorld();
    let reads = 0;
    failReads(() => (++reads < 3 ? busy() : null));
    expect((await copy(0)).kind).toBe('copied');
  });

  it('is not reported as a failure of the destination', async () => {
    const { copy, failReads, status } = await makeWorld();
    failReads(busy);
    await expect(copy(0)).rejects.toThrow(PackFileUnavailable);
    expect((await status()).batch).toBe('pending');
  });
});

describe('a request for the missing copies', () => {
  it('has its run started by the next request if it died before it started the run', async () => {
    const { copy, failWith, finish, request, deployment, batchId } = await makeWorld();
    failWith(refused('role'));
    await copy(0);
    await finish();
    const { all } = deployment.runner;
    expect((await request()).kind).toBe('requested');
    all.clear();
    expect(await request()).toMatchObject({ kind: 'refused', because: 'copying' });
    expect([...all.keys()]).toEqual([`${batchId}.copy1`]);
  });

  it('is not undone by a late failure of an earlier run', async () => {
    const { copy, failWith, finish, request, status, meanwhile } = await makeWorld();
    await finish();
    failWith(() => new TransientFailure('SlowDown'));
    meanwhile(async () => {
      failWith(refused('role'));
      meanwhile(async () => undefined);
      await copy(1);
      await request();
    });
    await copy(0);
    expect((await status()).batch).toBe('pending');
  });
});

describe('results that are missing at the end', () => {
  it('are copied together with the tables', async () => {
    const { copy, copyMissing: end, finish, status, files } = await makeWorld();
    await copy(0);
    await finish();
    expect((await end()).kind).toBe('copied');
    expect(await status()).toEqual({ batch: 'copied', jobs: ['copied', 'copied'] });
    expect(files.size).toBe(6);
  });

  it('are copied in several invocations if they take long, at least one result in each', async () => {
    const { copyMissing: end, failReads, finish, advance, status } = await makeWorld();
    await finish();
    failReads(() => {
      advance(200);
      return null;
    });
    expect(await end()).toEqual({ kind: 'cut-short', results: 1 });
    expect(await status()).toEqual({ batch: 'pending', jobs: ['copied', 'pending'] });
    expect((await end()).kind).toBe('copied');
    expect((await status()).batch).toBe('copied');
  });

  it('are copied even if one of them cannot be read, but then the tables are not', async () => {
    const { copyMissing: end, failReads, finish, status, files } = await makeWorld();
    await finish();
    let reads = 0;
    failReads(() => (++reads === 1 ? new Error('gone') : null));
    await expect(end()).rejects.toThrow('gone');
    expect(await status()).toEqual({ batch: 'pending', jobs: ['pending', 'copied'] });
    expect([...files.keys()].filter((uri) => uri.includes('results.'))).toEqual([]);
  });
});

describe('a run that overlaps another', () => {
  it('leaves the tables to the other run if it skipped a result because of a failure that a request has cleared', async () => {
    const {
      copyMissing: end,
      copy,
      failWith,
      finish,
      meanwhile,
      onceFailed,
      request,
      ...of
    } = await makeWorld();
    await finish();
    failWith(() => new TransientFailure('SlowDown'));
    meanwhile(async () => {
      failWith(refused('role'));
      await copy(1);
      failWith(null);
    });
    onceFailed(request);
    expect((await end()).kind).toBe('nothing-to-do');
    expect(await of.status()).toEqual({ batch: 'pending', jobs: ['copied', 'pending'] });
    expect([...of.files.keys()].filter((uri) => uri.includes('results.'))).toEqual([]);
    expect((await end()).kind).toBe('copied');
    expect(await of.status()).toEqual({ batch: 'copied', jobs: ['copied', 'copied'] });
  });
});

describe('the failure of a run that ends before everything is copied', () => {
  it('is recorded once the run has ended, however long the run waited', async () => {
    const { start, finish, advance, status, request, end } = await makeWorld();
    await start();
    await finish();
    advance(13 * 3_600);
    expect((await status()).batch).toBe('pending');
    expect(await request()).toMatchObject({ kind: 'refused', because: 'copying' });
    await end('batch', 0);
    expect(await status()).toEqual({ batch: 'failed', jobs: ['failed', 'failed'] });
    expect((await request()).kind).toBe('requested');
    await end('batch', 0);
    expect((await status()).batch).toBe('pending');
    await end('copies', 1);
    expect((await status()).batch).toBe('failed');
  });

  it('is not recorded if the run was restarted', async () => {
    const { deployment, batchId, finish, status, end } = await makeWorld();
    await deployment.batches.claimRestart(batchId, 0, '2026-03-04T05:00:00.000Z');
    await finish();
    await end('batch', 0);
    expect((await status()).batch).toBe('pending');
    await end('batch', 1);
    expect((await status()).batch).toBe('failed');
  });

  it('is recorded when the reconciler finishes a cancelled batch, even if no event comes', async () => {
    const { deployment, batchId, now, status, request, reconcile } = await makeWorld({
      completed: 1,
    });
    await deployment.batches.requestCancel(batchId, new Date(now()).toISOString());
    expect(await reconcile()).toBe('cancelled');
    expect(await status()).toEqual({ batch: 'failed', jobs: ['failed', null] });
    expect((await request()).kind).toBe('requested');
  });

  it('does not change a batch that is copied', async () => {
    const { finish, copyMissing: copies, status, end } = await makeWorld();
    await finish();
    await copies();
    await end('batch', 0);
    expect((await status()).batch).toBe('copied');
  });

  it('is reported when the run must have timed out, if its event was lost, but a request is accepted only once the run has ended', async () => {
    const { start, finish, advance, status, request, deployment } = await makeWorld();
    await start();
    await finish();
    advance(RUN_DAYS * 86_400 - 1);
    expect((await status()).batch).toBe('pending');
    advance(1);
    expect((await status()).batch).toBe('failed');

    expect(await request()).toMatchObject({ kind: 'refused', because: 'copying' });
    for (const run of deployment.runner.all.values()) run.state = 'ended';
    expect((await request()).kind).toBe('requested');
  });
});

describe('missing results', () => {
  it('can be requested at most ten times', async () => {
    const { finish, failWith, copy, request } = await makeWorld();
    failWith(refused('write'));
    await copy(0);
    await finish();
    const outcomes: string[] = [];
    for (let at = 0; at < 12; at++) {
      outcomes.push((await request()).kind);
      await copy(0);
    }
    expect(outcomes.filter((kind) => kind === 'requested')).toHaveLength(10);
  });
});
