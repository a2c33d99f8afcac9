import type { Model } from 'soil-batch-client';
import { clientOf, finishedBatch } from '../../test/support/console/batches.ts';
import type { DevConsole } from '../../test/support/console/dev-console.ts';
import { type BenchField, polygonOf } from './fields.ts';
import { click, type Measured, mapOf, rounds, zoomAndPan } from './inputs.ts';
import { probedConsole } from './probe.ts';

export interface BatchPages {
  readonly jobs: readonly Measured[];
  readonly result: readonly Measured[];
}

/** The page of a finished batch of the fields, and the result of its first job. */
export async function measureBatchPages(
  served: DevConsole,
  model: Model,
  fields: readonly BenchField[],
): Promise<BatchPages> {
  const jobs = fields.map((field) => ({
    name: field.name,
    polygon: polygonOf(field),
    model: model.model,
    year: 2021,
  }));
  const { batch_id: id } = await finishedBatch(served, { jobs });
  for await (const { job_index: index, job_id: jobId } of clientOf(served).batch(id).jobs()) {
    if (index !== 0) continue;
    const ofJobs = await useJobs(served, `#/batch/${id}`, fields.length);
    return { jobs: ofJobs, result: await useResult(served, `#/batch/${id}/${jobId}`) };
  }
  throw new Error('the batch has no jobs');
}

async function useJobs(
  served: DevConsole,
  address: string,
  count: number,
): Promise<readonly Measured[]> {
  const probed = await probedConsole(served, address);
  const { page, respond } = probed;
  const details = page.locator('tbody tr td:last-child button');
  // Only the rows in view are in the page.
  await page.locator(`table[aria-rowcount="${count + 1}"]`).waitFor();
  const selected = await rounds('select a job', async (round) => {
    const index = (round * 3) % 10;
    await details.nth(index).scrollIntoViewIfNeeded();
    await details.nth(index).hover();
    return respond({
      event: 'pointerup',
      shown: `drawn && document.querySelectorAll('tbody tr[aria-rowindex]')[${index}].querySelector('[aria-pressed=true]')`,
      act: () => click(page),
    });
  });
  const measured = [selected, ...(await zoomAndPan(probed))];
  await page.close();
  return measured;
}

async function useResult(served: DevConsole, address: string): Promise<readonly Measured[]> {
  const probed = await probedConsole(served, address);
  const { page, respond } = probed;
  await page.locator('.histogram').waitFor();
  const bands = await page.locator('#band option').count();
  const changed = await rounds('show another band', (round) =>
    respond({
      event: 'change',
      shown: 'drawn',
      act: () => page.locator('#band').selectOption({ index: (round + 1) % bands }),
    }),
  );
  const { origin, size } = await mapOf(page);
  const read = await rounds('read the value under the pointer', async (round) => {
    const before = JSON.stringify(await page.locator('.readout').textContent());
    const [x, y] = [origin[0] + size[0] / 2, origin[1] + size[1] / 2];
    return respond({
      event: 'pointermove',
      shown: `document.querySelector('.readout').textContent !== ${before}`,
      act: () => page.mouse.move(x + (round - 5) * 9, y + (round - 5) * 7),
    });
  });
  const measured = [changed, read, ...(await zoomAndPan(probed))];
  await page.close();
  return measured;
}
