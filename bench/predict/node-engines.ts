import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTreeEnsemble } from '../../lambdas/model/onnx/read-tree-ensemble.ts';
import { graphRegressor } from '../../lambdas/model/onnx-runtime/graph-regressor.ts';
import type { Regressor } from '../../lambdas/model/regressor.ts';
import { buildForest } from '../../lambdas/model/trees/build-forest.ts';
import { evaluate } from '../../lambdas/model/trees/reference.ts';
import { treeRegressor } from '../../lambdas/model/trees/tree-regressor.ts';

// node-engines.ts FOLDER ENGINE POINTS: predicts with our evaluator, its reference in plain TypeScript,
// or ONNX Runtime, as the service does; writes predictions.f32.

const FEATURES = 8;
/** As in predictWindow. */
const CHUNK_POINTS = 65_536;

const [folder = '', engine = '', points = ''] = process.argv.slice(2);
const count = Number(points);
const bytes = readFileSync(join(folder, 'forest.onnx'));
const features = new Float32Array(new Uint8Array(readFileSync(join(folder, 'points.f32'))).buffer);

const loading = process.cpuUsage();
const regressor = await load();
const load_s = cpuSecondsSince(loading);

const predictions = new Float32Array(count);
// Warm-up, so that the code is compiled.
await regressor.predict(features, 2_000, predictions);
const before = process.cpuUsage();
const started = performance.now();
for (let from = 0; from < count; from += CHUNK_POINTS) {
  const size = Math.min(CHUNK_POINTS, count - from);
  const chunk = features.subarray(from * FEATURES, (from + size) * FEATURES);
  await regressor.predict(chunk, size, predictions.subarray(from, from + size));
}
const wall_s = (performance.now() - started) / 1000;
const cpu_s = cpuSecondsSince(before);
writeFileSync(join(folder, 'predictions.f32'), new Uint8Array(predictions.buffer));
console.log(JSON.stringify({ wall_s, cpu_s, load_s }));

function cpuSecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

async function load(): Promise<Regressor> {
  if (engine === 'ONNX Runtime') return graphRegressor(bytes, FEATURES);
  const forest = buildForest(readTreeEnsemble(bytes), FEATURES);
  if (engine === 'ours') return treeRegressor(forest, 1);
  return {
    features: FEATURES,
    targets: 1,
    predict: async (chunk, size, out) => evaluate(forest, chunk, size, out),
  };
}
