import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { findPack } from '../../../bin/verify/find-pack.ts';
import { parseResult } from '../../../bin/verify/result.ts';
import { openStoredRaster } from '../../../bin/verify/stored-raster.ts';
import { verifyResult } from '../../../bin/verify/verify.ts';
import { loadPack } from '../../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../../engine/model/pack/pack-folder.ts';
import { NO_COPIES } from '../../../lambdas/domain/destination/copy-status.ts';
import { jobIdOf } from '../../../lambdas/domain/identity.ts';
import { readEntry } from '../../../lambdas/domain/job/job-requests.ts';
import { jobDetail } from '../../../lambdas/domain/job/reading/job-view.ts';
import { readResult } from '../../../lambdas/domain/job/reading/read-result.ts';
import { RETENTION_DAYS } from '../../../lambdas/domain/limits.ts';
import { stacItem } from '../../../lambdas/results/stac-item.ts';
import { inMemoryResultFiles } from '../../../local/in-memory/rasters.ts';
import { aDeployment, postBatch } from '../../support/domain/deployment.ts';
import { runJob } from '../../support/domain/run-job.ts';

export const MEUSE = 'models/meuse-soc';

/**
 * Makes a folder that is removed after the tests of the calling file. It is not a constant, because test files of one
 * worker share this module.
 */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'soil-batch-verify-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a result with the service's own steps, and returns its files as a client would download them. */
export async function makeResult(folder: string, name: string, polygon: unknown, pack = MEUSE) {
  const loaded = await loadPack(openPackFolder(pack));
  const deployment = aDeployment([loaded]);
  const batch = await postBatch(deployment, [{ polygon, year: 2024 }]);
  const { batch_id: batchId, tenant } = batch;
  expect((await runJob(deployment, batchId)).kind).toBe('assembled');
  const result = await readResult(
    { ...deployment, retentionDays: RETENTION_DAYS },
    tenant,
    batchId,
    jobIdOf(batchId, 0),
  );
  if (result.kind !== 'result') throw new Error(result.kind);
  const resultFiles = inMemoryResultFiles(deployment.rasters.read);
  const { jobRequests, catalogue } = deployment;
  const entry = await readEntry(jobRequests, batchId, 0);
  const requested = await jobRequests.job(batchId, entry);
  const detail = jobDetail(batch, 0, entry, result.record, requested, null, NO_COPIES.viewJob);
  const item = await stacItem(
    { catalogue: async () => catalogue, resultFiles },
    { result, detail, requested },
    'https://soil.example',
  );
  const { files, href } = resultFiles.open(batchId, result.jobId);
  const paths = { item: join(folder, `${name}.json`), raster: join(folder, `${name}.tif`) };
  writeFileSync(paths.item, String(item));
  writeFileSync(paths.raster, await files.readFile(href));
  return paths;
}

export type Files = Awaited<ReturnType<typeof makeResult>>;

export async function verifyFiles(files: Files, pack = MEUSE) {
  const result = parseResult(JSON.parse(readFileSync(files.item, 'utf8')));
  const raster = await openStoredRaster({ file: files.raster });
  return verifyResult(result, raster, await findPack(result.model, pack), '1.2.3');
}
