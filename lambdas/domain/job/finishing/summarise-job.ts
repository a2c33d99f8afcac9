import { ellipsoidalHectares } from '#engine/geometry/ellipsoid.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import { densityOf, supportOf } from '#engine/model/pack/property.ts';
import {
  type DeclaredErrors,
  meanBand,
  summarisedBands,
} from '#engine/model/pack/summarised-bands.ts';
import { placesOf } from '#engine/raster/cog/block-index.ts';
import type { CogBlock } from '#engine/raster/cog/placed-block.ts';
import type { BlockSource } from '#engine/raster/cog/ports.ts';
import { isPartlyOutside } from '#engine/raster/grid/plan.ts';
import { projectPolygon } from '#engine/raster/grid/project.ts';
import type { BlockSums } from '#engine/raster/summary/block-sums.ts';
import { correlatedSum, type HalfWidths } from '#engine/raster/summary/correlated-sum.ts';
import { type StoredNodes, storedNodes } from '#engine/raster/summary/stored-nodes.ts';
import type { Plan } from '../../patch-batch/patch-batch.ts';
import { type JobSummary, SUMMARY_METHOD } from '../job-summary.ts';

/** The summary of a job from its blocks; the same blocks give the same summary. Null if there is no mean. */
export async function summariseJob(
  manifest: Manifest,
  plan: Pick<Plan, 'window'>,
  polygon: MultiPolygonRings,
  blocks: readonly CogBlock[],
  source: BlockSource,
): Promise<JobSummary | null> {
  const sums = blocks.flatMap(({ index }) => index.sums ?? []);
  if (sums.length < blocks.length) return null;
  return summarise(manifest, {
    hectares: ellipsoidalHectares(polygon),
    isPartlyOutside: isPartlyOutside(
      polygon,
      projectPolygon(polygon, manifest.grid),
      manifest.grid,
    ),
    sums,
    predictedCells: predictedCells(manifest, blocks),
    correlated: await correlatedErrors(manifest, plan, blocks, source),
  });
}

function predictedCells(manifest: Manifest, blocks: readonly CogBlock[]): number {
  const mean = meanBand(manifest);
  return blocks.reduce((sum, { index }) => sum + (index.statistics[mean]?.count ?? 0), 0);
}

async function correlatedErrors(
  manifest: Manifest,
  { window }: Pick<Plan, 'window'>,
  blocks: readonly CogBlock[],
  source: BlockSource,
): Promise<HalfWidths | null> {
  const declared = summarisedBands(manifest)?.errors ?? null;
  const nodes = blocks.flatMap(({ ref, index }): StoredNodes[] => {
    const errors = index.sums?.errors ?? null;
    return errors === null ? [] : [{ ref, offset: placesOf(index).nodesOffset, errors }];
  });
  const edges = nodes[0]?.errors.edges;
  if (declared === null || edges === undefined) return null;
  const { grid } = manifest;
  return correlatedSum(storedNodes(nodes, edges, { window, grid, source }), declared.correlation);
}

const SQUARE_METRES_PER_HECTARE = 10_000;
const KILOGRAMS_PER_TONNE = 1_000;
const CENTIMETRES_PER_METRE = 100;

interface SummedJob {
  /** Ground area of the polygon. */
  readonly hectares: number;
  /** Whether part of the polygon lies outside the model's grid. */
  readonly isPartlyOutside: boolean;
  /** One per block. */
  readonly sums: readonly BlockSums[];
  /** Cells with a value, in all blocks. */
  readonly predictedCells: number;
  /** ΣΣ fᵢ fⱼ lᵢ lⱼ e^(−h / a) over all cells, and the same of u; null without declared errors. */
  readonly correlated: HalfWidths | null;
}

/** Null if no part of the polygon lies in a cell with a value, or the model predicts no mean. */
export function summarise(manifest: Manifest, job: SummedJob): JobSummary | null {
  const bands = summarisedBands(manifest);
  const total = totalOf(job.sums);
  if (bands === null || total.predicted <= 0) return null;
  const mean = total.values / total.predicted;
  const inGrid = total.covered / SQUARE_METRES_PER_HECTARE;
  // Only nodata and the grid's end reduce the area, not the cells that the outline cuts.
  const hectares = job.isPartlyOutside ? Math.min(job.hectares, inGrid) : job.hectares;
  const predictedHectares = (hectares * total.predicted) / total.belonging;
  const interval =
    bands.errors === null || job.correlated === null
      ? null
      : intervalOf(manifest, bands.errors, mean, total, job.correlated);
  const { unit } = manifest.property;
  const tonnes = isPossible(manifest, mean)
    ? tonnesPerUnit(manifest.property, predictedHectares)
    : null;
  const rounded = (value: number): number => Number(value.toPrecision(VALUE_DIGITS));
  const stocked = (value: number | undefined): number | null =>
    value === undefined || tonnes === null ? null : rounded(value * tonnes);
  return {
    area_ha: Number(job.hectares.toPrecision(AREA_DIGITS)),
    predicted_area_ha: Number(predictedHectares.toPrecision(AREA_DIGITS)),
    mean: rounded(mean),
    lower: interval === null ? null : rounded(interval.lower),
    upper: interval === null ? null : rounded(interval.upper),
    unit,
    level: interval === null ? null : (bands.errors?.level ?? null),
    method: interval === null ? null : SUMMARY_METHOD,
    stock:
      tonnes === null
        ? null
        : {
            value: rounded(mean * tonnes),
            lower: stocked(interval?.lower),
            upper: stocked(interval?.upper),
            unit: 't',
          },
    ...countsOf(job, rounded),
  };
}

/** Of cells; each absent if a block has none, because it was predicted before they were counted. */
function countsOf(
  { sums, predictedCells }: SummedJob,
  rounded: (value: number) => number,
): Pick<JobSummary, 'impossible_point_count' | 'outside_bounds_point_count' | 'outside_share'> {
  const impossible = sumOfAll(sums.map((block) => block.impossible));
  const outsideBounds = sumOfAll(sums.map((block) => block.outsideBounds));
  const outside = sumOfAll(sums.map(({ outsideTraining }) => outsideTraining));
  return {
    ...(impossible === undefined ? {} : { impossible_point_count: impossible }),
    ...(outsideBounds === undefined ? {} : { outside_bounds_point_count: outsideBounds }),
    ...(outside === undefined ? {} : { outside_share: rounded(outside / predictedCells) }),
  };
}

function sumOfAll(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length < counts.length ? undefined : known.reduce((sum, count) => sum + count, 0);
}

function isPossible(manifest: Manifest, mean: number): boolean {
  const { lower, upper } = supportOf(manifest);
  // Cells at an end of the support may have a mean that is a rounding error beyond it.
  const slack = Math.abs(mean) * 2 ** -20;
  return mean >= lower - slack && mean <= upper + slack;
}

/** Significant digits: far beyond the accuracy of any model, few enough to read. */
const VALUE_DIGITS = 6;
const AREA_DIGITS = 8;

interface Total extends Pick<BlockSums, 'covered' | 'belonging' | 'predicted' | 'values'> {
  readonly squares: HalfWidths;
}

function totalOf(blocks: readonly BlockSums[]): Total {
  const sum = (of: (block: BlockSums) => number): number =>
    blocks.reduce((all, block) => all + of(block), 0);
  return {
    covered: sum(({ covered }) => covered),
    belonging: sum(({ belonging }) => belonging),
    predicted: sum(({ predicted }) => predicted),
    values: sum(({ values }) => values),
    squares: {
      lower: sum(({ errors }) => errors?.squares.lower ?? 0),
      upper: sum(({ errors }) => errors?.squares.upper ?? 0),
    },
  };
}

/** `docs/rasters.md` derives the formula. */
function intervalOf(
  manifest: Manifest,
  { z, systematicRelativeSd, correlation }: DeclaredErrors,
  mean: number,
  { predicted, squares }: Total,
  correlated: HalfWidths,
): HalfWidths {
  const { nugget } = correlation;
  const shared = z * systematicRelativeSd * mean;
  const halfWidth = (square: number, pairs: number): number =>
    Math.hypot(Math.sqrt(nugget * square + (1 - nugget) * pairs) / predicted, shared);
  const lower = mean - halfWidth(squares.lower, correlated.lower);
  const upper = mean + halfWidth(squares.upper, correlated.upper);
  // A mean that cannot be has the interval of its errors: every cut one would lie beside it.
  const isCut = supportOf(manifest).lower >= 0 && mean >= 0;
  return { lower: isCut ? Math.max(lower, 0) : lower, upper };
}

/** Tonnes on the area per unit of the mean; null for a unit that gives none. */
function tonnesPerUnit({ unit, depth_cm }: Manifest['property'], hectares: number): number | null {
  switch (densityOf(unit)) {
    case 'kg/m3': {
      const metres = (depth_cm[1] - depth_cm[0]) / CENTIMETRES_PER_METRE;
      return (metres * hectares * SQUARE_METRES_PER_HECTARE) / KILOGRAMS_PER_TONNE;
    }
    case 't/ha':
      return hectares;
    case null:
      return null;
  }
}
