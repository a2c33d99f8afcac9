import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { graphRegressor } from '#engine/model/onnx/graph-regressor.ts';
import { readTreeGraph } from '#engine/model/onnx/tree-graph.ts';
import type { Regressor } from '#engine/model/regressor.ts';
import { inTiles } from '#engine/model/tile-order.ts';
import { buildForest } from '#engine/model/trees/build-forest.ts';
import { treeRegressor } from '#engine/model/trees/tree-regressor.ts';

// node-evaluators.ts FOLDER MODEL EVALUATOR COUNT KINDS…: predicts with our evaluator or ONNX Runtime, as the
// service does, on one thread; writes predictions of each kind of points.

const FEATURES = 16;
const WIDTH = 1_000;
/** The chunks are as large as in `predictWindow`. */
const CHUNK_POINTS = 65_536;

const [folder = '', model = '', evaluator = '', points = '', ...kinds] = process.argv.slice(2);
const count = Number(points);
const regressor = await load();
const { targets } = regressor;
const cpu_s: Record<string, number> = {};
for (const kind of kinds) cpu_s[kind] = await predict(kind);
console.log(JSON.stringify({ cpu_s }));

/** @returns seconds of CPU time */
async function predict(kind: string): Promise<number> {
  const order = orderOf(kind);
  const features = featuresIn(kind, order);
  const ordered = new Float32Array(count * targets);
  // Warm-up, so that the code is compiled.
  await regressor.predict(features, Math.min(count, 2_000), ordered);
  const before = process.cpuUsage();
  for (let from = 0; from < count; from += CHUNK_POINTS) {
    const to = Math.min(count, from + CHUNK_POINTS);
    const out = ordered.subarray(from * targets, to * targets);
    await regressor.predict(features.subarray(from * FEATURES, to * FEATURES), to - from, out);
  }
  const { user, system } = process.cpuUsage(before);
  const predictions = new Float32Array(ordered.length);
  for (const [i, point] of order.entries()) {
    predictions.set(ordered.subarray(i * targets, (i + 1) * targets), point * targets);
  }
  writeFileSync(join(folder, `${kind}.predictions`), new Uint8Array(predictions.buffer));
  return (user + system) / 1e6;
}

/** predictWindow visits the cells of a raster in tiles. */
function orderOf(kind: string): Int32Array {
  if (evaluator !== 'ours' || kind === 'random') {
    return Int32Array.from({ length: count }, (_, i) => i);
  }
  const cells = new Int32Array(count);
  let filled = 0;
  for (const { from, to } of inTiles(count, WIDTH)) {
    for (let cell = from; cell < to; cell++) cells[filled++] = cell;
  }
  return cells;
}

function featuresIn(kind: string, order: Int32Array): Float32Array {
  const bytes = readFileSync(join(folder, `${kind}.f32`));
  const rows = new Float32Array(new Uint8Array(bytes).buffer);
  const placed = new Float32Array(count * FEATURES);
  for (const [i, point] of order.entries()) {
    placed.set(rows.subarray(point * FEATURES, (point + 1) * FEATURES), i * FEATURES);
  }
  return placed;
}

async function load(): Promise<Regressor> {
  const bytes = readFileSync(join(folder, `${model}.onnx`));
  if (evaluator === 'ONNX Runtime') return graphRegressor(bytes, FEATURES);
  return treeRegressor(buildForest(readTreeGraph(bytes).ensemble, FEATURES), 1);
}
