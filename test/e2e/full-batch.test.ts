import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { inParallel } from '../../engine/concurrency/in-parallel.ts';
import { dynamoBatchStore } from '../../lambdas/adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../../lambdas/adapters/dynamodb/jobs.ts';
import { dynamoRecentTimes } from '../../lambdas/adapters/dynamodb/recent-times.ts';
import { urlPresigner } from '../../lambdas/adapters/s3/presigned-url.ts';
import { readBatch } from '../../lambdas/domain/batch/read-batch.ts';
import { LIMITS, SIGNED_URL_SECONDS } from '../../lambdas/domain/limits.ts';
import { createStateTable } from '../support/deployed/state-table.ts';
import { aBatch, aPlannedJob, RESULT } from '../support/domain/builders.ts';

const service = inject('service');
const table = await createStateTable(service.endpoint_url, service.region);
afterAll(() => table.delete());

const jobs = dynamoJobStore(table);
const indexes = Array.from({ length: LIMITS.jobsPerBatch }, (_, index) => index);
const AT = new Date().toISOString();

vi.stubEnv('AWS_REGION', 'eu-central-1');
const sign = urlPresigner('results', {
  accessKeyId: 'AKIAEXAMPLE',
  secretAccessKey: 'a-secret',
});
vi.unstubAllEnvs();
const ports = {
  batches: dynamoBatchStore(table),
  jobs,
  recentTimes: dynamoRecentTimes(table),
  jobsAtOnce: 10,
  clock: table.clock,
  jobRequests: {
    entries: async () =>
      indexes.map((index) => ({
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
  signer: {
    sign: async (batchId: string, jobId: string) => ({
      url: await sign(`results/${batchId}/${jobId}.tif`, {
        at: new Date(),
        expiresInSeconds: SIGNED_URL_SECONDS,
        query: { 'response-content-disposition': `attachment; filename="${jobId}.tif"` },
      }),
      createdAt: AT,
      expiresAt: AT,
    }),
  },
};

describe('a batch with the maximum number of jobs', () => {
  it('reads its status with one or two queries of its jobs, in less than 1 MB of gzip', async () => {
    const batch = aBatch({ totalJobs: indexes.length });
    await ports.batches.create(batch, '{"order":"A-1042"}');
    const warning =
      'meuse-soc@1.0.0 is a static map of data from 1990–1993: the requested year (2024) makes no difference.';
    const planned = aPlannedJob({ warnings: [{ code: 'static_model', message: warning }] });
    await inParallel(indexes, 20, async (index) => {
      await jobs.begin(batch.batchId, index, planned, AT);
      await jobs.complete(batch.batchId, index, AT, RESULT);
    });

    const before = table.sent.length;
    const selection = { filter: 'all', page: null } as const;
    const reading = await readBatch(ports, batch.tenant, batch.batchId, selection);
    const commands = table.sent.slice(before).map(({ command }) => command);
    const [points, queries] = [/^GetItem/, /^Query/].map((kind) =>
      commands.filter((command) => kind.test(command)),
    );
    expect(points).toHaveLength(3);
    expect(queries?.length).toBeLessThanOrEqual(2);
    expect(commands).toHaveLength(3 + (queries?.length ?? 0));
    expect(reading?.batch.completed_jobs).toBe(indexes.length);
    expect(gzipSync(JSON.stringify(reading?.jobs)).length).toBeLessThan(1_000_000);
  });
});
