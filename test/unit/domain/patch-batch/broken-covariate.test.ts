import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failPatchBatch } from '../../../../lambdas/domain/patch-batch/fail-patch-batch.ts';
import { predictPatchBatch } from '../../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { plan } from '../../../support/domain/run-job.ts';
import { aManifest, aPack } from '../../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../../support/model/geotiff-file.ts';
import { rectangle } from '../../../support/raster/builders.ts';

const sound = aGeoTiff({ values: cellsOf((col) => col) });
const grid = { ...aManifest().grid, block_tiles: 1 };

async function readFailureReason(clay: Uint8Array | undefined): Promise<string> {
  const pack = await aPack(aManifest(), {
    'forest.onnx': readFileSync('test/fixtures/onnx/forest.onnx'),
    'slope.tif': sound,
    ...(clay === undefined ? {} : { 'clay.tif': clay }),
  });
  // The digests were written when the function was deployed, before the file broke.
  const deployment = { ...aDeployment([pack]), packDigests: async () => ({}) };
  const polygon = { type: 'Polygon', coordinates: [rectangle(grid, [1, 1, 39, 29])] };
  const { batch_id: batchId } = await postBatch(deployment, [
    { polygon, year: 2020, model: 'plain' },
  ]);
  await plan(deployment, batchId);
  const error: unknown = await predictPatchBatch(deployment, batchId, 0, 0).catch((e) => e);
  if (!(error instanceof Error)) throw new Error('it was predicted');
  const { name: errorType, message: errorMessage } = error;
  const cause = { Error: errorType, Cause: JSON.stringify({ errorType, errorMessage }) };
  await failPatchBatch(deployment, batchId, 0, 0, cause);
  const patchBatch = await deployment.patchBatches.readPatchBatch(batchId, 0, 0);
  if (patchBatch?.status !== 'failed') throw new Error(`it is ${patchBatch?.status}`);
  expect(patchBatch.failure_code).toBe('covariate_unavailable');
  return patchBatch.failure_reason;
}

describe('the failure reason of a patch-batch names the covariate', () => {
  it.each<[string, Uint8Array | undefined, RegExp]>([
    ['that is missing', undefined, /clay\.tif: not found/],
    ['that is not a GeoTIFF', new TextEncoder().encode('<html>not found</html>'), /./],
    ['that is cut off', sound.subarray(0, 2_000), /./],
    ['that lies elsewhere', aGeoTiff({ values: cellsOf(() => 1), origin: [0, 0] }), /origin 0, 0/],
  ])('%s', async (_, clay, why) => {
    const reason = await readFailureReason(clay);
    expect(reason).toMatch(
      /^Input data of the model could not be read: covariate "clay" is unavail/,
    );
    expect(reason).toMatch(why);
  });
});
