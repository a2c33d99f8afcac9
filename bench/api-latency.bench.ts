import { mapInParallel } from '../engine/concurrency/in-parallel.ts';
import { dynamoBatchStore } from '../lambdas/adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../lambdas/adapters/dynamodb/jobs.ts';
import { dynamoSlots } from '../lambdas/adapters/dynamodb/slots.ts';
import type { Table } from '../lambdas/adapters/dynamodb/table.ts';
import { creationResponse } from '../lambdas/api/operations/create-batch.ts';
import { timestamp } from '../lambdas/domain/clock.ts';
import type { BatchId } from '../lambdas/domain/identity.ts';
import { type LocalService, startLocalService } from '../local/service.ts';
import { SUMMARY } from '../test/support/api/batch-with-results.ts';
import { openDeployedTable } from '../test/support/deployed/deployed-table.ts';
import { aBatch, anEnd, aPlannedJob, RESULT } from '../test/support/domain/builders.ts';
import { type Bench, type BenchReport, formatAgainstGoal, type Goal } from './bench.ts';
import { createBody } from './create/body.ts';
import { computeMedian } from './own-use.ts';

const JOBS = 1_000;
const LISTED = 100;
const VERTICES = 20;
const WARM_UP = 3;
const ROUNDS = 15;
const PORT = 4_731;
const UNLIMITED = {
  jobsPerDay: 1_000_000,
  hectaresPerDay: 1_000_000,
  requestsPerMinute: 60_000,
  runningBatches: 1,
};

interface Request {
  readonly path: string;
  /** Absent for a GET. */
  readonly body?: string;
  readonly apiKey: string;
}

interface Side {
  readonly name: string;
  readonly request: Request;
  /** The name of the side that this one is compared with: ratio = this side's time ÷ that side's time. */
  readonly base: string;
  readonly goal: Goal | null;
}

/** Pads a body with white space, which JSON allows between tokens. */
function padBody(body: string, bytes: number): string {
  const end = body.lastIndexOf(']}');
  return body.slice(0, end) + ' '.repeat(bytes - Buffer.byteLength(body)) + body.slice(end);
}

const PADDED = '1 job padded to the same size';

function listCreations(apiKey: string): readonly Side[] {
  const [one, thousand] = [createBody(1, VERTICES), createBody(JOBS, VERTICES)];
  const createPost = (name: string, body: string, goal: Goal | null): Side => {
    return {
      name: `create ${name}`,
      request: { path: '', body, apiKey },
      base: `create ${PADDED}`,
      goal,
    };
  };
  return [
    createPost('1 job', one, null),
    createPost(PADDED, padBody(one, Buffer.byteLength(thousand)), null),
    createPost('1,000 jobs', thousand, { most: 2 }),
  ];
}

const ONE_JOB = 'finished batch of 1 job, jobs=none';

function listReads(apiKey: string, batchOfOne: BatchId, batchOfThousand: BatchId): readonly Side[] {
  const createGet = (name: string, path: string, goal: Goal | null): Side => {
    return { name, request: { path, apiKey }, base: ONE_JOB, goal };
  };
  return [
    createGet(ONE_JOB, `/${batchOfOne}?jobs=none`, null),
    createGet('finished batch of 1,000 jobs, jobs=none', `/${batchOfThousand}?jobs=none`, {
      most: 2,
    }),
    createGet(`list of ${LISTED} finished batches`, `?limit=${LISTED}`, { most: 4 }),
    createGet('finished batch of 1,000 jobs', `/${batchOfThousand}`, null),
  ];
}

async function callApi(
  baseUrl: string,
  { path, body, apiKey }: Request,
): Promise<{ readonly ms: number; readonly text: string }> {
  const startedAt = performance.now();
  const response = await fetch(`${baseUrl}/v1/batch${path}`, {
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`);
  return { ms: performance.now() - startedAt, text };
}

/** Gives the tenant's only slot to a batch that never runs, so that no later batch runs. */
async function holdSlot(table: Table, tenant: string, ofAll: number): Promise<void> {
  const batch = aBatch({ tenant });
  await dynamoBatchStore(table).create(batch, null);
  const at = timestamp(table.clock());
  const claim = await dynamoSlots(table).claim(batch, { ofAll, ofTenant: 0 }, at);
  if (claim !== 'claimed') throw new Error(`the slot could not be claimed: ${claim}`);
}

async function finishBatch(table: Table, batchId: BatchId, totalJobs: number): Promise<void> {
  const [batches, jobs] = [dynamoBatchStore(table), dynamoJobStore(table)];
  const at = timestamp(table.clock());
  await batches.start(batchId, at);
  await mapInParallel([...Array(totalJobs).keys()], 20, async (index) => {
    await jobs.begin(batchId, index, aPlannedJob(), at);
    await jobs.complete(batchId, index, at, { ...RESULT, summary: SUMMARY });
  });
  await endBatch(table, batchId, totalJobs);
}

async function endBatch(table: Table, batchId: BatchId, completedJobs: number): Promise<void> {
  const ended = anEnd('completed', timestamp(table.clock()));
  await dynamoBatchStore(table).finish(batchId, { ...ended, completed_jobs: completedJobs }, null);
}

async function listFinishedSides(service: LocalService): Promise<readonly Side[]> {
  const { v2_url } = service.description;
  const table = await openDeployedTable(service.description);
  const tenant = 'bench-reads';
  const apiKey = await service.issueApiKey(tenant, UNLIMITED);
  await holdSlot(table, tenant, 1);
  const finishBatchOf = async (jobs: number): Promise<BatchId> => {
    const { text } = await callApi(v2_url, { path: '', body: createBody(jobs, VERTICES), apiKey });
    const { batch_id } = creationResponse.parse(JSON.parse(text));
    await finishBatch(table, batch_id, jobs);
    return batch_id;
  };
  const [one, thousand] = [await finishBatchOf(1), await finishBatchOf(JOBS)];
  const listed = Array.from({ length: LISTED }, () => aBatch({ tenant, total_jobs: JOBS }));
  await mapInParallel(listed, 20, async (batch) => {
    await dynamoBatchStore(table).create(batch, null);
    await endBatch(table, batch.batch_id, JOBS);
  });
  return listReads(apiKey, one, thousand);
}

interface Timed extends Side {
  readonly times: number[];
  /** The number of bytes of the request or of the response, whichever is larger. */
  bytes: number;
}

async function measureAll(): Promise<readonly Timed[]> {
  const service = await startLocalService({ port: PORT });
  try {
    const { v2_url } = service.description;
    const tenant = 'bench';
    const apiKey = await service.issueApiKey(tenant, UNLIMITED);
    await holdSlot(await openDeployedTable(service.description), tenant, 0);
    const sides = [...listCreations(apiKey), ...(await listFinishedSides(service))];
    const measuring = sides.map((side): Timed => ({ ...side, times: [], bytes: 0 }));
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      for (const timed of measuring) {
        const { ms, text } = await callApi(v2_url, timed.request);
        timed.bytes = Math.max(
          Buffer.byteLength(timed.request.body ?? ''),
          Buffer.byteLength(text),
        );
        if (round >= 0) timed.times.push(ms);
      }
    }
    return measuring;
  } finally {
    await service.stop();
  }
}

export const bench: Bench = {
  title: 'response times of creations, of statuses of finished batches, and of a list of batches',
  async run(): Promise<BenchReport> {
    const found = await measureAll();
    const findMedian = (name: string) =>
      computeMedian(found.find((side) => side.name === name)?.times ?? []);
    return {
      columns: ['request', 'kB', 'ms, median', 'ms, minimum', '÷ base'],
      rows: found.map(({ name, base, goal, bytes, times }) => [
        name,
        (bytes / 1_000).toFixed(1),
        computeMedian(times).toFixed(0),
        Math.min(...times).toFixed(0),
        formatAgainstGoal(computeMedian(times) / findMedian(base), goal, 2),
      ]),
      notes: [
        `Each time is from the request to the end of the response, in ${ROUNDS} alternating rounds after ${WARM_UP} warm-up rounds. The API is deployed on the emulator, whose services respond over the loopback interface.`,
        `The base of a creation is the creation of one job whose body is padded with white space. Gateway and function receive as many bytes as for 1,000 jobs, so the ratio shows the cost of the jobs. The created batches wait for a slot, so that none runs during the measurement. Polygons have ${VERTICES} vertices.`,
        `The base of a read is the status of a finished batch of one job, without its jobs. The listed batches have 1,000 jobs each. For a status with 1,000 jobs, the function decodes 1,000 items and signs 1,000 URLs; \`jobs=none\` avoids both.`,
      ],
      versions: {},
    };
  },
};
