import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  connectTo,
  FIELD,
  finishedBatch,
  HOSTILE,
  invalidJob,
  job,
  openPage,
} from '../../support/console/batches.ts';
import { devConsole } from '../../support/console/dev-console.ts';

export const STATUS = '**/jobs/*/status*';

export async function openResult() {
  const folder = mkdtempSync(join(tmpdir(), 'console-result-'));
  const served = await devConsole();
  const batch = await finishedBatch(served, { jobs: [job(FIELD, HOSTILE), invalidJob('crossed')] });
  const client = connectTo(served);
  const jobIds = new Map<string | null, string>();
  for await (const { job_id, name } of client.batch(batch.batch_id).jobs())
    jobIds.set(name, job_id);
  const jobId = jobIds.get(HOSTILE) ?? expect.fail('no job');
  const { models } = await client.models();
  const { model: used } = await client.batch(batch.batch_id).job(jobId);
  const model = models.find((known) => known.model === used) ?? expect.fail('no model');
  const raster = join(folder, 'result.tif');
  const response = await fetch(await client.batch(batch.batch_id).resultUrl(jobId));
  writeFileSync(raster, Buffer.from(await response.arrayBuffer()));
  const address = `#/batch/${batch.batch_id}/${jobId}`;
  const { page, faults, origins } = await openPage(served, address);
  const uncaught: Error[] = [];
  page.on('pageerror', (error) => uncaught.push(error));
  await page.getByLabel('Shown on the map').waitFor();
  return {
    ...{ folder, raster, served, batch, jobIds, model, address },
    ...{ page, faults, origins, uncaught },
    go: (to: string) => page.evaluate(`location.hash = ${JSON.stringify(to)}`),
    cellsOfBars: () =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('.histogram rect')].map(({ dataset }) => Number(dataset.cells))`,
      ),
    async close() {
      await served.close();
      rmSync(folder, { recursive: true });
    },
  };
}
