import { readCovariates } from '#engine/model/covariates/covariates.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { predictWindow } from '#engine/model/predict-window.ts';
import { createTrainingTest } from '#engine/model/trained-values.ts';
import { transformOfGrid } from '#engine/projection/transform.ts';
import { createCellFinder, type GridCell, type LonLat } from './covariates-at.ts';
import { findCrossedPair, listQuantileBands } from './quantile-order.ts';

export interface PredictedValues {
  /** The covariates, in the manifest's order. */
  readonly covariates: readonly number[];
  /** The bands' values in their units and order, decoded from the stored cell. */
  readonly bands: readonly number[];
}

/** Null if a covariate is missing. */
export async function predictCell(pack: Pack, cell: GridCell): Promise<PredictedValues | null> {
  const window = { ...cell, width: 1, height: 1 };
  const { cells, predicted } = await predictWindow(pack, window, Uint8Array.of(1));
  if (predicted === 0) return null;
  const covariates = (await readCovariates(pack, window)) ?? [];
  return {
    covariates: covariates.map(([value = Number.NaN]) => value),
    bands: pack.manifest.bands.map(
      ({ scale = 1, offset = 0 }, i) => (cells[i] ?? Number.NaN) * scale + offset,
    ),
  };
}

/** A cell of the grid as JSON, with what the service computes for it if no covariate is missing. */
export interface DescribedCell {
  readonly cell: readonly [col: number, row: number];
  /** The cell's centre, in WGS84 degrees and in the grid's CRS. */
  readonly lon_lat: LonLat;
  readonly xy: readonly [number, number];
  readonly covariates?: readonly number[];
  /** Whether each covariate lies outside the range of the training data, as jobs count it. */
  readonly outside?: readonly boolean[];
  readonly bands?: readonly number[];
  /** Indexes of two quantile bands in the wrong order; null if there are none. */
  readonly crossed?: readonly number[] | null;
}

export function createCellDescriber({
  manifest,
}: Pack): (cell: GridCell, values: PredictedValues | null) => DescribedCell {
  const { grid } = manifest;
  const { inverse } = transformOfGrid(grid);
  const quantiles = listQuantileBands(manifest);
  const tests = manifest.covariates.map((covariate) =>
    createTrainingTest({ covariates: [covariate] }),
  );
  return ({ col, row }, values) => {
    const [west, north] = grid.origin;
    const xy = [west + (col + 0.5) * grid.cell_size, north - (row + 0.5) * grid.cell_size] as const;
    const place = { cell: [col, row], lon_lat: inverse(xy), xy } as const;
    if (values === null) return place;
    const outside = values.covariates.map((value, i) => tests[i]?.([value], 0) ?? false);
    const crossed = findCrossedPair(quantiles, values.bands)?.map(({ at }) => at) ?? null;
    return { ...place, ...values, outside, crossed };
  };
}

/** Null outside the grid. */
export async function predictPlaces(
  pack: Pack,
  positions: readonly LonLat[],
): Promise<readonly (DescribedCell | null)[]> {
  const [cellAt, describe] = [createCellFinder(pack), createCellDescriber(pack)];
  const places: (DescribedCell | null)[] = [];
  for (const position of positions) {
    const cell = cellAt(position);
    places.push(cell === null ? null : describe(cell, await predictCell(pack, cell)));
  }
  return places;
}
