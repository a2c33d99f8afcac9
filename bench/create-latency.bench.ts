import { dynamoBatchStore } from '../lambdas/adapters/dynamodb/batches.ts';
import { dynamoSlots } from '../lambdas/adapters/dynamodb/slots.ts';
import { creationResponse } from '../lambdas/api/endpoints/create-batch.ts';
import { timestamp } from '../lambdas/domain/clock.ts';
import { startLocalService } from '../local/service.ts';
import type { ServiceDescription } from '../local/service-file.ts';
import { openDeployedTable } from '../test/support/deployed/deployed-table.ts';
import { aBatch } from '../test/support/domain/builders.ts';
import { type Bench, type BenchReport, judged } from './bench.ts';
import { bodyOf } from './create/body.ts';
import { median } from './own-use.ts';

const JOBS = 1_000;
const VERTICES = 20;
const WARM_UP = 3;
const ROUNDS = 15;
const PORT = 4_731;
const TENANT = 'bench';

interface Side {
  readonly name: string;
  readonly jobs: number;
  readonly body: string;
}

/** Pads a body with white space, which JSON allows between tokens. */
function padded(body: string, bytes: number): string {
  const end = body.lastIndexOf(']}');
  return body.slice(0, end) + ' '.repeat(bytes - Buffer.byteLength(body)) + body.slice(end);
}

function sides(): readonly Side[] {
  const [one, thousand] = [bodyOf(1, VERTICES), bodyOf(JOBS, VERTICES)];
  return [
    { name: '1 job', jobs: 1, body: one },
    { name: '1 job in as many bytes', jobs: 1, body: padded(one, Buffer.byteLength(thousand)) },
    { name: '1,000 jobs', jobs: JOBS, body: thousand },
  ];
}

/** Duration of one creation at the deployed API, to the end of its response, in ms. */
async function created(baseUrl: string, apiKey: string, body: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${baseUrl}/v1/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body,
  });
  const text = await response.text();
  const ms = performance.now() - startedAt;
  creationResponse.parse(JSON.parse(text));
  return ms;
}

/** Gives the tenant's only slot to a batch that never runs, so that no later batch runs. */
async function holdSlot(service: ServiceDescription, tenant: string): Promise<void> {
  const table = await openDeployedTable(service);
  const batch = aBatch({ tenant });
  await dynamoBatchStore(table).create(batch, null);
  const at = timestamp(table.clock());
  const claim = await dynamoSlots(table).claim(batch, { ofAll: 0, ofTenant: 0 }, at);
  if (claim !== 'claimed') throw new Error(`no slot: ${claim}`);
}

async function measured(): Promise<readonly (Side & { readonly times: readonly number[] })[]> {
  const service = await startLocalService({ port: PORT });
  try {
    const { v2_url } = service.description;
    const key = await service.issueApiKey(TENANT, {
      jobsPerDay: 1_000_000,
      hectaresPerDay: 1_000_000,
      requestsPerMinute: 60_000,
      runningBatches: 1,
    });
    await holdSlot(service.description, TENANT);
    const measuring = sides().map((side) => ({ ...side, times: [] as number[] }));
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      for (const { body, times } of measuring) {
        const ms = await created(v2_url, key, body);
        if (round >= 0) times.push(ms);
      }
    }
    return measuring;
  } finally {
    await service.stop();
  }
}

export const bench: Bench = {
  title: 'response time of creations, 1 job and 1,000',
  async run(): Promise<BenchReport> {
    const found = await measured();
    const base = median(found[1]?.times ?? []);
    return {
      columns: ['creation', 'kB', 'ms, median', 'ms, minimum', '÷ 1 job in as many bytes'],
      rows: found.map(({ name, jobs, body, times }) => [
        name,
        (Buffer.byteLength(body) / 1_000).toFixed(1),
        median(times).toFixed(0),
        Math.min(...times).toFixed(0),
        judged(median(times) / base, jobs > 1 ? { most: 2 } : null, 2),
      ]),
      notes: [
        `The API deployed on the emulator, from the request to the end of the response, ${ROUNDS} alternating rounds after ${WARM_UP} to warm up; the batches wait for a slot, so that none runs meanwhile. Polygons of ${VERTICES} vertices. One job in as many bytes is padded with white space: gateway, function and S3 transfer the same number of bytes, so that the ratio shows the cost of the jobs. The emulator gives a function one core of the machine, as AWS does at its memory size; its services respond over the loopback interface. A job costs some 0.07 ms: its polygon is checked, and its line of the index is written.`,
      ],
      versions: {},
    };
  },
};
