import { gzipSync } from 'node:zlib';
import { creationResponse } from '../../lambdas/api/definitions/batch-responses.ts';
import type { Deployment } from '../../lambdas/api/definitions/definition.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { completedJob } from '../../test/support/api/job-records.ts';
import { inMemoryService, statusCall } from '../../test/support/api/service.ts';
import { cpuMs, median } from '../own-use.ts';
import { signedUrls } from '../sign-urls.bench.ts';
import { bodyOf, field } from './body.ts';

// requests.ts ROUNDS: measures creations and statuses of batches, and prints the rows of the table.

const ROUNDS = Number(process.argv[2]);
const SIZES = [1, 100, 1_000];
const urls = await signedUrls();

await creation(100, 20);
const rows: (readonly string[])[] = [];
for (const jobs of SIZES) rows.push(await creation(jobs, 20));
const bytes = Buffer.byteLength(JSON.stringify(field(LIMITS.verticesPerJob, 0)));
rows.push(await creation(Math.floor(LIMITS.bodyBytes / (bytes + 60)), LIMITS.verticesPerJob));
for (const jobs of SIZES) rows.push(await status(jobs, 'v2'));
rows.push(await status(Math.max(...SIZES), 'v1'));
console.log(JSON.stringify(rows));

/** @param tenant another one for each call if the daily quota is too small for all */
async function created(
  service: ReturnType<typeof inMemoryService>,
  body: string,
  tenant = 'alpha',
): Promise<string> {
  const response = await service.create({ body, tenant });
  return creationResponse.parse(response.body).batch_id;
}

async function creation(jobs: number, vertices: number): Promise<readonly string[]> {
  const service = inMemoryService();
  const body = bodyOf(jobs, vertices);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(await cpuMs(() => created(service, body, `tenant-${round}`)));
  }
  const writes = service.writes.count / ROUNDS;
  return ['create', String(jobs), String(vertices), ...figures(times, body), `${writes} writes`];
}

async function status(jobs: number, deployment: Deployment): Promise<readonly string[]> {
  const service = inMemoryService();
  const id = await created(service, bodyOf(jobs, 20));
  for (let index = 0; index < jobs; index += 1) {
    service.jobs.set(`${id}/${index}`, completedJob(index));
  }
  const times: number[] = [];
  const before = service.reads.count;
  let text = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(
      await cpuMs(async () => {
        text = (await service.batchStatus({ ...statusCall(id), variables: { deployment } })).text;
      }),
    );
  }
  // The in-memory service signs nothing, so its URLs are replaced by real ones.
  let index = 0;
  const real = text.replace(/"signed_cog_url":"[^"]*"/g, () => {
    index += 1;
    return `"signed_cog_url":"${urls[index - 1]}"`;
  });
  return [
    `status of ${deployment.toUpperCase()}`,
    String(jobs),
    '',
    ...figures(times, real),
    `${(service.reads.count - before) / ROUNDS} reads`,
  ];
}

function figures(times: readonly number[], text: string): readonly string[] {
  const kB = (size: number): string => (size / 1_000).toFixed(size < 10_000 ? 1 : 0);
  return [median(times).toFixed(1), kB(Buffer.byteLength(text)), kB(gzipSync(text).length)];
}
