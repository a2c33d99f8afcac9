import { computeHectares, SQUARE_METRES_PER_HECTARE } from '#engine/geometry/ellipsoid.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import { findSupport } from '#engine/model/pack/property.ts';
import {
  type BandSamples,
  type DeclaredErrors,
  findMeanBand,
  findSummarisedBands,
} from '#engine/model/pack/summarised-bands.ts';
import { locateTiles } from '#engine/raster/cog/block-index.ts';
import type { CogBlock } from '#engine/raster/cog/placed-block.ts';
import type { BlockSource } from '#engine/raster/cog/ports.ts';
import {
  type BandStatistics,
  mergeStatistics,
  standardDeviation,
} from '#engine/raster/cog/statistics.ts';
import { isPartlyOutside } from '#engine/raster/grid/plan.ts';
import { projectPolygon } from '#engine/raster/grid/project.ts';
import type { BlockSums, ErrorWidths } from '#engine/raster/summary/block-sums.ts';
import { type CoarseNodes, computeCoarseNodes } from '#engine/raster/summary/coarse-nodes.ts';
import { computeMeanInterval } from '#engine/raster/summary/mean-interval.ts';
import { type BlockNodes, createNodeReader } from '#engine/raster/summary/raster-nodes.ts';
import { sumWithinJob } from '#engine/raster/summary/sum-within-job.ts';
import type { Plan } from '../../patch-batch/patch-batch.ts';
import type { PredictionErrors } from '../../total/prediction-errors.ts';
import { type JobSummary, roundArea, roundValue, SUMMARY_METHOD } from '../job-summary.ts';
import { computeStock } from '../stock.ts';

export interface SummarisedJob {
  readonly summary: JobSummary;
  /** Null if the summary has no interval. */
  readonly errors: Omit<PredictionErrors, 'job_index'> | null;
}

/** Returns null if the job has no mean. */
export async function summariseJob(
  manifest: Manifest,
  plan: Pick<Plan, 'window'>,
  polygon: MultiPolygonRings,
  blocks: readonly CogBlock[],
  source: BlockSource,
): Promise<SummarisedJob | null> {
  const sums = blocks.flatMap(({ index }) => index.sums ?? []);
  if (sums.length < blocks.length) return null;
  const correlated = await correlatedErrors(manifest, plan, blocks, source);
  const summary = summarise(manifest, {
    hectares: computeHectares(polygon),
    isPartlyOutside: isPartlyOutside(
      polygon,
      projectPolygon(polygon, manifest.grid),
      manifest.grid,
    ),
    sums,
    cells: cellsOf(manifest, blocks),
    correlated: correlated?.pairs ?? null,
  });
  if (summary === null) return null;
  return {
    summary,
    errors: summary.level === null ? null : computeErrors(manifest, sums, correlated),
  };
}

function computeErrors(
  manifest: Manifest,
  sums: readonly BlockSums[],
  correlated: CorrelatedErrors | null,
): SummarisedJob['errors'] {
  const declared = findSummarisedBands(manifest)?.errors ?? null;
  if (declared === null || correlated === null) return null;
  const { predicted, squares, widths } = addBlockSums(sums);
  const { lower, upper } = findSupport(manifest);
  return {
    square_metres: predicted,
    nugget: declared.correlation.nugget,
    range_m: declared.correlation.rangeMetres,
    systematic_relative_sd: declared.systematicRelativeSd,
    z: declared.z,
    level: declared.level,
    support: { lower: endOf(lower), upper: endOf(upper) },
    squares,
    widths,
    ...correlated,
  };
}

/** JSON cannot represent infinity. */
const endOf = (value: number): number | null => (Number.isFinite(value) ? value : null);

function cellsOf(manifest: Manifest, blocks: readonly CogBlock[]): BandStatistics {
  const mean = findMeanBand(manifest);
  return mergeStatistics(blocks.flatMap(({ index }) => index.statistics[mean] ?? []));
}

interface CorrelatedErrors {
  readonly pairs: number;
  readonly nodes: CoarseNodes | null;
}

async function correlatedErrors(
  manifest: Manifest,
  { window }: Pick<Plan, 'window'>,
  blocks: readonly CogBlock[],
  source: BlockSource,
): Promise<CorrelatedErrors | null> {
  const declared = findSummarisedBands(manifest)?.errors ?? null;
  const nodes = blocks.flatMap(({ ref, index }): BlockNodes[] => {
    const errors = index.sums?.errors ?? null;
    return errors === null ? [] : [{ ref, offset: locateTiles(index).nodesOffset, errors }];
  });
  const edges = nodes[0]?.errors.edges;
  if (declared === null || edges === undefined) return null;
  const { grid } = manifest;
  const { correlation } = declared;
  const stored = createNodeReader(nodes, edges, { window, grid, source });
  const pairs = await sumWithinJob(stored, correlation);
  const coarse = await computeCoarseNodes(stored, { grid, window, edges }, correlation);
  const fits = coarse === null || coarse.values.every(Number.isFinite);
  return { pairs: fits ? pairs : Infinity, nodes: coarse };
}

interface SummedJob {
  readonly hectares: number;
  /** Whether part of the polygon lies outside the model's grid. */
  readonly isPartlyOutside: boolean;
  readonly sums: readonly BlockSums[];
  /** The statistics of the mean band's samples in all blocks, as stored. */
  readonly cells: BandStatistics;
  /**
   * ΣΣ fᵢ fⱼ σ′ᵢ σ′ⱼ e^(−h / a) over all cells; null if the model declares no errors. Not finite if errors are too
   * large for the nodes' float32; then there is no interval.
   */
  readonly correlated: number | null;
}

/** One square micrometre. The squares of areas near 1e-160 would round to 0, and so would the width of the interval. */
const LEAST_SQUARE_METRES = 1e-12;

/** Returns null if no part of the polygon lies in a cell with a value, or the model predicts no mean. */
export function summarise(manifest: Manifest, job: SummedJob): JobSummary | null {
  const bands = findSummarisedBands(manifest);
  const total = addBlockSums(job.sums);
  const ground = job.hectares * SQUARE_METRES_PER_HECTARE;
  if (bands === null || Math.min(total.predicted, ground) < LEAST_SQUARE_METRES) return null;
  const spread = spreadOf(job.cells, bands.mean);
  if (spread === null) return null;
  const mean = total.values / total.predicted;
  const inGrid = total.covered / SQUARE_METRES_PER_HECTARE;
  // Only nodata and the end of the grid reduce the area; cells that the outline cuts do not.
  const hectares = job.isPartlyOutside ? Math.min(job.hectares, inGrid) : job.hectares;
  const predictedHectares = (hectares * total.predicted) / total.belonging;
  const interval =
    bands.errors === null || job.correlated === null || !Number.isFinite(job.correlated)
      ? null
      : computeInterval(manifest, bands.errors, mean, total, job.correlated);
  const { unit } = manifest.property;
  const stocks = computeStock(manifest, { mean, interval, hectares: predictedHectares });
  return {
    area_ha: roundArea(job.hectares),
    predicted_area_ha: roundArea(predictedHectares),
    mean: roundValue(mean),
    lower: interval === null ? null : roundValue(interval.lower),
    upper: interval === null ? null : roundValue(interval.upper),
    unit,
    level: interval === null ? null : (bands.errors?.level ?? null),
    method: interval === null ? null : SUMMARY_METHOD,
    stock: stocks?.stock ?? null,
    standard_error: interval === null ? null : roundValue(interval.standardError),
    stock_per_ha: stocks?.perHectare ?? null,
    ...spread,
    ...countsOf(job),
  };
}

/** All cells have the same weight; null if no cell has a value. */
function spreadOf(
  cells: BandStatistics,
  { scale, offset }: BandSamples,
): Pick<JobSummary, 'cell_min' | 'cell_max' | 'cell_sd'> | null {
  if (cells.min === null || cells.max === null) return null;
  return {
    cell_min: roundValue(cells.min * scale + offset),
    cell_max: roundValue(cells.max * scale + offset),
    cell_sd: roundValue(standardDeviation(cells) * scale),
  };
}

function countsOf({
  sums,
  cells,
}: SummedJob): Pick<
  JobSummary,
  | 'impossible_point_count'
  | 'outside_bounds_point_count'
  | 'outside_share'
  | 'outside_applicability_share'
> {
  const shareOf = (counts: readonly (number | undefined)[]): number | null => {
    const outside = sumOfAll(counts);
    return outside === null ? null : roundValue(outside / cells.count);
  };
  return {
    impossible_point_count: sums.reduce((sum, { impossible }) => sum + impossible, 0),
    outside_bounds_point_count: sumOfAll(sums.map(({ outsideBounds }) => outsideBounds)),
    outside_share: shareOf(sums.map(({ outsideTraining }) => outsideTraining)),
    outside_applicability_share: shareOf(
      sums.map(({ outsideApplicability }) => outsideApplicability),
    ),
  };
}

/** Returns null if any count is missing, because the model then states nothing to count by. */
function sumOfAll(counts: readonly (number | undefined)[]): number | null {
  const known = counts.filter((count) => count !== undefined);
  return known.length < counts.length ? null : known.reduce((sum, count) => sum + count, 0);
}

interface Total extends Pick<BlockSums, 'covered' | 'belonging' | 'predicted' | 'values'> {
  readonly squares: number;
  readonly widths: ErrorWidths;
}

function addBlockSums(blocks: readonly BlockSums[]): Total {
  const sum = (read: (block: BlockSums) => number): number =>
    blocks.reduce((all, block) => all + read(block), 0);
  return {
    covered: sum(({ covered }) => covered),
    belonging: sum(({ belonging }) => belonging),
    predicted: sum(({ predicted }) => predicted),
    values: sum(({ values }) => values),
    squares: sum(({ errors }) => errors?.squares ?? 0),
    widths: {
      sd: sum(({ errors }) => errors?.widths.sd ?? 0),
      lower: sum(({ errors }) => errors?.widths.lower ?? 0),
      upper: sum(({ errors }) => errors?.widths.upper ?? 0),
    },
  };
}

/** The formula is derived in `docs/intervals.md`. */
function computeInterval(
  manifest: Manifest,
  { z, systematicRelativeSd, correlation }: DeclaredErrors,
  mean: number,
  { predicted, squares, widths }: Total,
  correlated: number,
) {
  const { nugget } = correlation;
  const own = Math.sqrt(nugget * squares + (1 - nugget) * correlated) / predicted;
  const standardError = Math.hypot(own, systematicRelativeSd * mean);
  const errors = { mean, standardError, widths, squareMetres: predicted, z };
  return { ...computeMeanInterval({ ...errors, support: findSupport(manifest) }), standardError };
}
