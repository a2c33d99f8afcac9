import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATUS_READ_UNITS } from '../../bench/scale/ceilings.ts';
import { mapInParallel } from '../../engine/concurrency/in-parallel.ts';
import { dynamoBatchIndex } from '../../lambdas/adapters/dynamodb/batch-index.ts';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoCopyStore } from '../../lambdas/adapters/dynamodb/copies.ts';
import { dynamoJobStore } from '../../lambdas/adapters/dynamodb/jobs.ts';
import { dynamoRecentTimes } from '../../lambdas/adapters/dynamodb/recent-times.ts';
import { listBatches } from '../../lambdas/domain/batch/list-batches.ts';
import { type JobsFilter, readBatch } from '../../lambdas/domain/batch/read-batch.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { obtainEmulator } from '../../local/emulator/emulator.ts';
import { SUMMARY } from '../support/api/batch-with-results.ts';
import { createStateTable } from '../support/deployed/state-table.ts';
import { aBatch, anEnd, aPlannedJob, RESULT } from '../support/domain/builders.ts';

const { endpointUrl, region } = await obtainEmulator();
const table = await createStateTable(endpointUrl, region);
afterAll(() => table.delete());

const jobs = dynamoJobStore(table);
const AT = new Date().toISOString();
const signed = { url: `https://results.example/${'u'.repeat(400)}`, createdAt: AT, expiresAt: AT };
const ports = {
  batches: dynamoBatchStore(table),
  batchIndex: dynamoBatchIndex(table),
  jobs,
  recentTimes: dynamoRecentTimes(table),
  copies: dynamoCopyStore(table),
  jobsAtOnce: 10,
  clock: table.clock,
  jobRequests: {
    entries: async () =>
      Array.from({ length: LIMITS.jobsPerBatch }, (_, index) => ({
        offset: 0,
        length: 1,
        name: `Field ${index} of the farm by the river`,
        year: 2024,
        model: null,
        squareMetres: 20_000,
        chargedSquareMetres: 20_000,
        hasProperties: false,
      })),
  },
  signer: { sign: async () => signed },
};

/** A batch whose jobs are all completed, but which is not finished. */
async function makeRanBatch(totalJobs: number) {
  const batch = aBatch({ total_jobs: totalJobs });
  await ports.batches.create(batch, '{"order":"A-1042"}');
  await ports.batches.start(batch.batch_id, AT);
  const message =
    'A static map of data from 1990–1993: the requested year (2024) makes no difference.';
  const planned = aPlannedJob({ warnings: [{ code: 'static_model', message }] });
  await mapInParallel([...Array(totalJobs).keys()], 20, async (index) => {
    await jobs.begin(batch.batch_id, index, planned, AT);
    await jobs.complete(batch.batch_id, index, AT, { ...RESULT, summary: SUMMARY });
  });
  return batch;
}

const finish = ({ batch_id: batchId, total_jobs: totalJobs }: ReturnType<typeof aBatch>) =>
  ports.batches.finish(batchId, { ...anEnd('completed', AT), completed_jobs: totalJobs }, null);

async function measureRead<T>(read: () => Promise<T>) {
  const before = table.sent.length;
  const result = await read();
  const sent = table.sent.slice(before);
  return {
    result,
    commands: sent.map(({ command }) => command.replace('Command', '')).toSorted(),
    units: sent.reduce((sum, { units = Number.NaN }) => sum + units, 0),
  };
}

const statusOf = ({ tenant, batch_id: batchId }: ReturnType<typeof aBatch>, filter: JobsFilter) =>
  measureRead(() => readBatch(ports, tenant, batchId, { filter, updatedSince: null, page: null }));

describe('the status of a batch with the maximum number of jobs', () => {
  let batch: Awaited<ReturnType<typeof makeRanBatch>>;
  beforeAll(async () => {
    batch = await makeRanBatch(LIMITS.jobsPerBatch);
  });

  it('reads all jobs while the batch runs, even if it lists none, in fewer units than bench/scale assumes', async () => {
    const { result, commands, units } = await statusOf(batch, 'none');
    expect(result?.batch.completed_jobs).toBe(LIMITS.jobsPerBatch);
    expect(commands).toEqual(['GetItem', 'GetItem', 'GetItem', 'Query']);
    expect(units).toBeLessThan(STATUS_READ_UNITS);
  });

  it('takes two read units once the batch is finished, like that of a batch with one job', async () => {
    await finish(batch);
    const small = await makeRanBatch(1);
    await finish(small);
    for (const each of [batch, small]) {
      const { result, commands, units } = await statusOf(each, 'none');
      expect(result?.batch.completed_jobs).toBe(each.total_jobs);
      expect(commands).toEqual(['GetItem', 'GetItem']);
      expect(units).toBe(2);
    }
  });

  it('reads the jobs with one or two queries if they are requested', async () => {
    const { result, commands, units } = await statusOf(batch, 'all');
    expect(result?.jobs).toHaveLength(LIMITS.jobsPerBatch);
    expect(commands.slice(0, 3)).toEqual(['GetItem', 'GetItem', 'Query']);
    expect(commands.length).toBeLessThanOrEqual(4);
    expect(units).toBeLessThan(STATUS_READ_UNITS);
  });
});

describe('a page of a hundred finished batches', () => {
  it('takes two BatchGetItem requests, a Query and a GetItem, even if each batch has the maximum number of jobs', async () => {
    const tenant = 'lists';
    const made = Array.from({ length: 100 }, (_, i) =>
      aBatch({ tenant, total_jobs: LIMITS.jobsPerBatch }, new Date(Date.now() - i)),
    );
    await mapInParallel(made, 20, async (batch) => {
      await ports.batches.create(batch, '{"order":"A-1042"}');
      await finish(batch);
    });
    const selection = { status: null, name: null, created: {}, after: null, limit: 100 };
    const { result, commands, units } = await measureRead(() =>
      listBatches(ports, tenant, selection),
    );
    expect(result.batches).toHaveLength(100);
    expect(commands).toEqual(['BatchGetItem', 'BatchGetItem', 'GetItem', 'Query']);
    expect(units).toBeLessThan(210);
  });
});
