import { createRandom } from '../../../bench/random.ts';
import { type PredictedSample, predictionsAt } from '../../../bin/packs/predicted-samples.ts';
import type { Pack } from '../../../engine/model/pack/pack.ts';
import { transformOfGrid } from '../../../engine/projection/transform.ts';
import { aManifest, aPack } from '../../support/model/builders.ts';
import { aGeoTiff, type RasterFile } from '../../support/model/geotiff-file.ts';
import { onnxFile } from '../../support/model/onnx-file.ts';

const GRID = { width: 200, height: 100 };
/** Sea has no clay. */
const SEA = 12;
const NODATA = -9999;
/** Standard deviation of a measurement, half of whose variance its field shares. */
const SD = 8;
const Z_95 = 1.6448536269514722;

const clayAt = (col: number, row: number) => 30 + 30 * Math.sin(col / 17) * Math.cos(row / 13);
const elevationAt = (col: number, row: number) => 250 + 250 * Math.sin(col / 29 + row / 23);
const stockOf = (clay: number, elevation: number) => 20 + 1.2 * clay + 0.05 * elevation;

type ManifestJson = ReturnType<typeof aManifest>;
type Triple = readonly [mean: number, lower: number, upper: number];

/** What a wrong pack does differently. */
export interface Spoiled {
  /** What the model makes of its mean and bounds. */
  readonly told?: (values: Triple) => Triple;
  /** What the model was trained on in place of clay and elevation. */
  readonly trainedOn?: readonly [(clay: number) => number, (elevation: number) => number];
  readonly clayFile?: Partial<RasterFile>;
  readonly manifest?: (right: ManifestJson) => ManifestJson;
}

/** A carbon stock in t/ha by clay and elevation, with bounds that contain 90 %: a right pack unless spoiled. */
export function stockPack({
  told = (values) => values,
  trainedOn = [(clay) => clay, (elevation) => elevation],
  clayFile = {},
  manifest = (right) => right,
}: Spoiled = {}): Promise<Pack> {
  const clay = rasterOf((col, row) => (col < SEA ? NODATA : clayAt(col, row)));
  return aPack(manifest(rightManifest(trainedOn)), {
    'clay.tif': aGeoTiff({ ...GRID, values: clay, nodata: String(NODATA), ...clayFile }),
    'elevation.tif': aGeoTiff({ ...GRID, values: rasterOf(elevationAt) }),
    'tree.onnx': onnxFile(treeOf(told, trainedOn)),
  });
}

/** A clay file whose values are stored ten times as large. */
export const TENFOLD_CLAY = rasterOf((col, row) => (col < SEA ? NODATA : 10 * clayAt(col, row)));

function rasterOf(valueAt: (col: number, row: number) => number): number[] {
  const { width, height } = GRID;
  return Array.from({ length: width * height }, (_, i) =>
    valueAt(i % width, Math.floor(i / width)),
  );
}

function rightManifest([ofClay, ofElevation]: Required<Spoiled>['trainedOn']): ManifestJson {
  const { grid } = aManifest();
  const covariate = (name: string, unit: string, trained_range: [number, number]) => ({
    ...{ kind: 'raster' as const, name, description: name, unit, href: `${name}.tif` },
    ...{ resampling: 'bilinear' as const, trained_range },
  });
  const band = (name: string, index: number, level?: number) => ({
    ...{ name, description: name },
    from: { kind: 'target' as const, index, ...(level === undefined ? {} : { level }) },
  });
  return aManifest({
    property: { name: 'carbon stock', unit: 't/ha', depth_cm: [0, 30] },
    grid: { ...grid, ...GRID },
    trained_range: [10, 130],
    covariates: [
      covariate('clay', '%', [ofClay(0), ofClay(60)]),
      covariate('elevation', 'm', [ofElevation(0), ofElevation(500)]),
    ],
    graph: { href: 'tree.onnx', format: 'onnx', targets: 3 },
    bands: [band('mean', 0), band('q05', 1, 0.05), band('q95', 2, 0.95)],
    error: {
      ...{ lower: 'q05', upper: 'q95', how: 'pairs of samples', command: 'none' },
      correlation: { model: 'exponential', nugget: 0.5, range_m: 1000 },
    },
  });
}

/** One tree with a leaf for each of 16 × 16 bins of both covariates. */
function treeOf(
  told: Required<Spoiled>['told'],
  [ofClay, ofElevation]: Required<Spoiled>['trainedOn'],
): Parameters<typeof onnxFile>[0] {
  const nodes: { feature: number; value: number; yes: number; no: number; leaf?: Triple }[] = [];
  const half = Z_95 * SD;
  const add = (clay: readonly [number, number], elevation: readonly [number, number]): number => {
    const id = nodes.length;
    const [wide, high] = [clay[1] - clay[0], elevation[1] - elevation[0]];
    const mean = stockOf((clay[0] + clay[1]) / 2, (elevation[0] + elevation[1]) / 2);
    nodes.push({ feature: 0, value: 0, yes: 0, no: 0 });
    if (wide < 4 && high < 32) {
      nodes[id] = {
        ...{ feature: 0, value: 0, yes: 0, no: 0 },
        leaf: told([mean, Math.max(mean - half, 0), mean + half]),
      };
      return id;
    }
    const byClay = wide / 60 >= high / 500;
    const [low, top] = byClay ? clay : elevation;
    const middle = (low + top) / 2;
    const [below, above] = [
      [low, middle],
      [middle, top],
    ] as const;
    const yes = byClay ? add(below, elevation) : add(clay, below);
    const no = byClay ? add(above, elevation) : add(clay, above);
    const value = byClay ? ofClay(middle) : ofElevation(middle);
    nodes[id] = { feature: byClay ? 0 : 1, value, yes, no };
    return id;
  };
  add([0, 60], [0, 500]);
  const leaves = nodes.flatMap(({ leaf }, id) =>
    (leaf ?? []).map((weight, target) => ({ id, target, weight })),
  );
  return {
    ...{ type: 'TreeEnsembleRegressor', opset: 3, double: false, features: 2, targets: 3 },
    attributes: {
      n_targets: { int: 3 },
      nodes_treeids: { ints: nodes.map(() => 0) },
      nodes_nodeids: { ints: nodes.map((_, id) => id) },
      nodes_modes: { texts: nodes.map(({ leaf }) => (leaf ? 'LEAF' : 'BRANCH_LEQ')) },
      nodes_featureids: { ints: nodes.map(({ feature }) => feature) },
      nodes_values: { floats: nodes.map(({ value }) => value) },
      nodes_truenodeids: { ints: nodes.map(({ yes }) => yes) },
      nodes_falsenodeids: { ints: nodes.map(({ no }) => no) },
      target_treeids: { ints: leaves.map(() => 0) },
      target_nodeids: { ints: leaves.map(({ id }) => id) },
      target_ids: { ints: leaves.map(({ target }) => target) },
      target_weights: { floats: leaves.map(({ weight }) => weight) },
    },
  };
}

/** Measurements on the land, with what the service predicts there. */
export async function measuredIn(pack: Pack, count: number): Promise<readonly PredictedSample[]> {
  const random = createRandom(5);
  const { grid } = pack.manifest;
  const { inverse } = transformOfGrid(grid);
  const measured = Array.from({ length: count }, () => {
    const col = SEA + Math.floor(random() * (GRID.width - SEA));
    const row = Math.floor(random() * GRID.height);
    const [x, y] = [grid.origin[0] + 10 * (col + 0.5), grid.origin[1] - 10 * (row + 0.5)];
    const observed = stockOf(clayAt(col, row), elevationAt(col, row));
    return { position: inverse([x, y]), observed };
  });
  const predictions = await predictionsAt(
    pack,
    measured.map(({ position }) => position),
  );
  return predictions.flatMap(({ cell, values }, i) => {
    const sample = measured[i];
    return cell === null || values === null || sample === undefined
      ? []
      : [{ ...sample, cell, ...values }];
  });
}
