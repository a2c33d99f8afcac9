import type { Pack } from '#engine/model/pack/pack.ts';
import { transformOfGrid } from '#engine/projection/transform.ts';
import { cellsAt, type GridCell, type LonLat } from './covariates-at.ts';
import { numberIn, type SampleTable, tableCell } from './sample-table.ts';
import { type PredictedValues, predictedValues } from './sampled-cells.ts';

/** A measurement in a cell of the grid, with what the service predicts there. */
export interface PredictedSample extends PredictedValues {
  readonly position: LonLat;
  readonly cell: GridCell;
  /** The observed value, in the property's unit. */
  readonly observed: number;
}

/** Each sample of a table has its cell, null outside the grid, and values, null where a covariate is missing. */
export interface SamplePrediction {
  readonly cell: GridCell | null;
  readonly values: PredictedValues | null;
}

/** Predicts with the reader and the model of the service, to the stored cell. */
export async function predictionsAt(
  pack: Pack,
  positions: readonly LonLat[],
): Promise<readonly SamplePrediction[]> {
  const cellAt = cellsAt(pack);
  const predictions: SamplePrediction[] = [];
  for (const position of positions) {
    const cell = cellAt(position);
    predictions.push({ cell, values: cell === null ? null : await predictedValues(pack, cell) });
  }
  return predictions;
}

/** The samples with a prediction. @param targetAt index of the column with the measured values */
export function withMeasurements(
  { columns, samples }: SampleTable,
  targetAt: number,
  predictions: readonly SamplePrediction[],
): readonly PredictedSample[] {
  return samples.flatMap((sample, i) => {
    const observed = numberIn(sample, targetAt, `sample ${i + 1}, ${columns[targetAt]}`);
    const { cell = null, values = null } = predictions[i] ?? {};
    return cell === null || values === null
      ? []
      : [{ position: sample.position, observed, cell, ...values }];
  });
}

/** The header of {@link predictionCells}: the cell's centre in WGS84 degrees, and the bands. */
export function predictionHeader({ manifest: { bands } }: Pack): readonly string[] {
  return ['cell_lon', 'cell_lat', ...bands.map(({ name }) => `predicted_${name}`)];
}

export function predictionCells(
  { manifest: { grid, bands } }: Pack,
  { cell, values }: SamplePrediction,
): readonly string[] {
  const centre =
    cell === null
      ? [Number.NaN, Number.NaN]
      : transformOfGrid(grid).inverse([
          grid.origin[0] + (cell.col + 0.5) * grid.cell_size,
          grid.origin[1] - (cell.row + 0.5) * grid.cell_size,
        ]);
  const missing = bands.map(() => Number.NaN);
  return [...centre, ...(values?.bands ?? missing)].map(tableCell);
}
