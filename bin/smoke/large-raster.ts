import * as z from 'zod';
import { type ApiClient, read } from './api-client.ts';
import type { Job } from './batches.ts';
import { require, Skipped } from './check.ts';
import { runBatch } from './operations.ts';
import { openRaster, predictedInLastTile, sizeByRange } from './raster.ts';
import { urlOf } from './signed-url.ts';

/** The model of `models/deployment-check`: its results are large, because noise does not compress. */
const CHECK_MODEL = 'deployment-check';

/** Two parts of S3's smallest size: S3 copies ranges of blocks (`UploadPartCopy`) only into larger results. */
const COPIED_BYTES = 10 * 1024 ** 2;

const models = z.looseObject({
  models: z.array(
    z.looseObject({ id: z.string(), coverage: z.unknown(), data_period: z.array(z.number()) }),
  ),
});

/**
 * Opens a result into which S3 has copied ranges of blocks: one of the model for checks or, on a stage
 * without it, the largest of the given ones.
 */
export async function largeRaster(api: ApiClient, results: readonly Job[]): Promise<string> {
  const known = read(models, await api.call('getModels')).models;
  const checkModel = known.find(({ id }) => id === CHECK_MODEL);
  if (checkModel === undefined) return largestOf(results);
  const { coverage: polygon, data_period } = checkModel;
  const job = { name: 'large', model: CHECK_MODEL, year: data_period[0], polygon };
  const { jobs } = await runBatch(api, { jobs: [job] });
  const [done] = jobs;
  if (done === undefined) throw new Error('the batch has no job');
  const url = urlOf(done);
  const bytes = await sizeByRange(url);
  require(bytes > COPIED_BYTES, `the result of ${CHECK_MODEL} has only ${bytes} bytes`);
  const opened = await openRaster(url);
  const predicted = await predictedInLastTile(url);
  require(predicted > 0, 'the last tile has no prediction');
  return `${opened}, ${predicted} in the last`;
}

/** @throws Skipped if none is large enough */
export async function largestOf(results: readonly Job[]): Promise<string> {
  const sizes = await Promise.all(
    results.map(async (job) => ({ job, bytes: await sizeByRange(urlOf(job)) })),
  );
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  if (largest === undefined) throw new Skipped('no job has a result');
  if (largest.bytes <= COPIED_BYTES) {
    const mib = (largest.bytes / 1024 ** 2).toFixed(1);
    throw new Skipped(
      `the stage has no model ${CHECK_MODEL}, and the largest result has ${mib} MiB: use --batch with a larger polygon or model`,
    );
  }
  return openRaster(urlOf(largest.job));
}
