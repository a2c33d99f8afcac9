import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listCovariateFiles } from '../../../../engine/model/covariates/covariate-files.ts';
import { loadPack } from '../../../../engine/model/pack/pack.ts';
import { withRemoteSources } from '../../../../engine/model/pack/pack-files.ts';
import { remoteFiles } from '../../../../lambdas/adapters/packs/remote-files.ts';
import { readEntry } from '../../../../lambdas/domain/job/job-requests.ts';
import { predictPatchBatch } from '../../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { plan } from '../../../support/domain/run-job.ts';
import { aManifest, asJson, createPackFiles } from '../../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../../support/model/geotiff-file.ts';
import { rectangle } from '../../../support/raster/builders.ts';

const HREF = 'https://covariates.example/clay.tif';
const [slope, , ...coordinates] = aManifest().covariates;
const clay = { kind: 'raster', name: 'clay', description: 'clay', unit: '%', href: HREF } as const;
const manifest = aManifest({ covariates: [slope, clay, ...coordinates].flatMap((c) => c ?? []) });
const grid = aManifest().grid;
const polygon = { type: 'Polygon', coordinates: [rectangle(grid, [1, 1, 39, 29])] };

async function deployWithFileAtUrl() {
  let [content, etag] = [aGeoTiff({ values: cellsOf((col) => col) }), '"one"'];
  const reader = () =>
    remoteFiles({
      lookUp: async () => ({ size: content.length, etag }),
      read: async (_, file, first, last) => {
        if (file.etag !== etag) throw new Error('it changed while it was read');
        return content.subarray(first, last + 1);
      },
    });
  const folder = createPackFiles({
    'manifest.json': asJson(manifest),
    'forest.onnx': readFileSync('test/fixtures/onnx/forest.onnx'),
    'slope.tif': aGeoTiff({ values: cellsOf((col) => col) }),
  });
  const none = createPackFiles({});
  const pack = await loadPack(withRemoteSources(folder, { https: reader(), s3: none }));
  const deployment = {
    ...aDeployment([pack]),
    packDigests: async () => ({}),
    covariateFiles: (map: typeof pack) =>
      listCovariateFiles({
        ...map,
        files: withRemoteSources(folder, { https: reader(), s3: none }),
      }),
  };
  const planned = async () => {
    const { batch_id: batchId } = await postBatch(deployment, [
      { polygon, year: 2020, model: 'plain' },
    ]);
    await plan(deployment, batchId);
    return batchId;
  };
  /** The new file lacks half of the values. */
  const replace = () => {
    const values = cellsOf((col) => (col < 20 ? -1 : col));
    [content, etag] = [aGeoTiff({ values, nodata: '-1' }), '"two"'];
  };
  return { deployment, planned, replace };
}

describe('a covariate at a URL', () => {
  it('is recorded in the plan with its size and ETag', async () => {
    const { deployment, planned } = await deployWithFileAtUrl();
    const written = await deployment.patchBatches.readPlan(await planned(), 0);
    expect(written?.covariateFiles).toEqual([
      { covariate: 'clay', size: expect.any(Number), etag: '"one"' },
    ]);
  });

  it('fails jobs that were planned before it was replaced, but not later jobs', async () => {
    const { deployment, planned, replace } = await deployWithFileAtUrl();
    const before = await planned();
    replace();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(predictPatchBatch(deployment, before, 0, 0)).rejects.toMatchObject({
        name: 'CovariateUnavailable',
        covariate: 'clay',
      });
    }
    const after = await planned();
    expect(await predictPatchBatch(deployment, after, 0, 0)).toMatchObject({ kind: 'completed' });
  });

  it('is read again after its replacement by a process that read the old file', async () => {
    const { deployment, planned, replace } = await deployWithFileAtUrl();
    const pointsOf = async (batchId: string) => {
      await predictPatchBatch(deployment, batchId, 0, 0);
      return (await deployment.jobs.read(batchId, 0))?.predicted_points;
    };
    expect(await pointsOf(await planned())).toBe(38 * 28);
    replace();
    expect(await pointsOf(await planned())).toBe(19 * 28);
  });

  it('makes a retry predict the blocks again if it was replaced', async () => {
    const { deployment, planned, replace } = await deployWithFileAtUrl();
    const retried = async (of: Awaited<ReturnType<typeof planned>>) => {
      const { batch_id: batchId } = await postBatch(deployment, [
        { polygon, year: 2020, model: 'plain' },
      ]);
      const entry = await readEntry(deployment.jobRequests, of, 0);
      const job = await deployment.jobRequests.job(of, entry);
      const head = { ...entry, retryOf: { batchId: of, index: 0 } };
      await deployment.jobRequests.write(batchId, [{ head, job }]);
      await plan(deployment, batchId);
      return (await predictPatchBatch(deployment, batchId, 0, 0)).kind;
    };
    const first = await planned();
    await predictPatchBatch(deployment, first, 0, 0);
    expect(await retried(first)).toBe('reused');
    replace();
    expect(await retried(first)).toBe('completed');
  });
});
