import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGraphRegressor } from '#engine/model/onnx/graph-regressor.ts';
import { readTreeGraph } from '#engine/model/onnx/tree-graph.ts';
import type { Regressor } from '#engine/model/regressor.ts';
import { buildForest } from '#engine/model/trees/build-forest.ts';
import { createTreeRegressor } from '#engine/model/trees/tree-regressor.ts';
import { measureCpuMs } from '../own-use.ts';

// Usage: node-evaluators.ts FOLDER MODEL COVARIATES EVALUATOR COUNT POINTS…
// Predicts with our evaluator or ONNX Runtime on one thread, like the service, and writes the predictions for each file
// of points. If there are steps around the trees, each chunk is also predicted without them.

/** The chunks are as large as in `predictWindow`. */
const CHUNK_POINTS = 65_536;

const [folder = '', model = '', covariates = '', evaluator = '', points = '', ...kinds] =
  process.argv.slice(2);
const FEATURES = Number(covariates);
const count = Number(points);
const [regressor, alone] = await loadModels();
const { targets } = regressor;
const cpu_s: Record<string, number> = {};
const alone_s: Record<string, number> = {};
for (const kind of kinds) await runModel(kind);
console.log(JSON.stringify({ cpu_s, alone_s }));

async function runModel(kind: string): Promise<void> {
  const bytes = readFileSync(join(folder, `${kind}.f32`));
  const features = new Float32Array(new Uint8Array(bytes).buffer, 0, count * FEATURES);
  const predictions = new Float32Array(count * targets);
  const predictChunk = (model: Regressor, from: number, size: number): Promise<number> => {
    const to = Math.min(count, from + size);
    const out = predictions.subarray(from * targets, to * targets);
    const points = features.subarray(from * FEATURES, to * FEATURES);
    return measureCpuMs(() => model.predict(points, to - from, out));
  };
  const models = alone ? [alone, regressor] : [regressor];
  // These runs only warm up, so that the code is compiled.
  for (const model of models) await predictChunk(model, 0, 20_000);
  const ms = new Map(models.map((model) => [model, 0]));
  for (let from = 0; from < count; from += CHUNK_POINTS) {
    for (const model of models) {
      ms.set(model, (ms.get(model) ?? 0) + (await predictChunk(model, from, CHUNK_POINTS)));
    }
  }
  cpu_s[kind] = (ms.get(regressor) ?? Number.NaN) / 1_000;
  if (alone) alone_s[kind] = (ms.get(alone) ?? Number.NaN) / 1_000;
  writeFileSync(join(folder, `${kind}.predictions`), new Uint8Array(predictions.buffer));
}

/** The second model is the first without the steps around its trees; it is absent if there are no steps. */
async function loadModels(): Promise<readonly [Regressor, Regressor?]> {
  const bytes = readFileSync(join(folder, `${model}.onnx`));
  if (evaluator === 'ONNX Runtime') return [await createGraphRegressor(bytes, FEATURES)];
  const graph = readTreeGraph(bytes);
  const forest = buildForest(graph.ensemble, FEATURES);
  const whole = createTreeRegressor(forest, 1, graph);
  const hasSteps = graph.before.length + graph.after.length > 0;
  return hasSteps ? [whole, createTreeRegressor(forest, 1)] : [whole];
}
