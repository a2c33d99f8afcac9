import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPeakBytes } from '../../../../bench/own-use.ts';
import { countCovariateBytes } from '../../../../engine/model/covariates/covariate-raster.ts';
import { estimateModelMemory } from '../../../../engine/model/load-regressor.ts';
import { loadPack } from '../../../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../../../engine/model/pack/pack-folder.ts';
import { estimatePredictingMemory } from '../../../../engine/model/pack/predicting-memory.ts';
import { predictPatchBatch } from '../../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { plan } from '../../../support/domain/run-job.ts';
import { rectangle } from '../../../support/raster/builders.ts';

/**
 * This program, for a separate process, predicts a pack's whole grid as a single patch-batch. It prints the
 * estimated memory in bytes, and the most that the process used.
 */
const folder = process.argv[2] ?? '';
const pack = await loadPack(openPackFolder(folder));
const { grid, graph } = pack.manifest;
const deployment = aDeployment([pack]);
const ring = rectangle(grid, [0, 0, grid.width, grid.height]);
const job = { polygon: { type: 'Polygon', coordinates: [ring] }, year: 2020, model: pack.ref };
const { batch_id: batchId } = await postBatch(deployment, [job], { hectares_per_job: 1e6 });
const patchBatches = await plan(deployment, batchId);
if (patchBatches !== 1) throw new Error(`${patchBatches} patch-batches`);
const { kind } = await predictPatchBatch(deployment, batchId, 0, 0);
const model = graph === undefined ? 0 : estimateModelMemory(readFileSync(join(folder, graph.href)));
const covariates = await countCovariateBytes(pack);
const needed = estimatePredictingMemory(pack.manifest, { model, covariates });
console.log(JSON.stringify({ kind, needed, held: readPeakBytes() }));
