import type { Pack } from '#engine/model/pack/pack.ts';
import { cellsAt, type GridCell, type LonLat } from '../covariates-at.ts';
import { columnAt, nameIn, numberIn, readSampleTable } from '../sample-table.ts';
import { predictedBands } from '../sampled-cells.ts';

/** A measurement that the model did not see. */
export interface HeldOutSample {
  readonly position: LonLat;
  /** In the property's unit. */
  readonly observed: number;
  /** Null without groups. */
  readonly group: string | null;
}

/** A sample with what the service predicts in its cell. */
export interface PredictedSample extends HeldOutSample {
  readonly cell: GridCell;
  /** In the bands' unit and order, decoded from the stored cell. */
  readonly bands: readonly number[];
}

export interface Predictions {
  readonly samples: readonly PredictedSample[];
  /** Samples outside the grid. */
  readonly outside: number;
  /** Samples in a cell where a covariate is missing. */
  readonly withoutData: number;
}

/**
 * Reads a table of held-out samples.
 * @param columns names of the columns with the measured values, and with the group if there are groups
 * @throws CommandError with the sample and the column
 */
export function readHeldOut(
  text: string,
  columns: { readonly target: string; readonly group: string | null },
): readonly HeldOutSample[] {
  const table = readSampleTable(text);
  const targetAt = columnAt(table, columns.target);
  const groupAt = columns.group === null ? null : columnAt(table, columns.group);
  return table.samples.map((sample, i) => ({
    position: sample.position,
    observed: numberIn(sample, targetAt, `sample ${i + 1}, ${columns.target}`),
    group: groupAt === null ? null : nameIn(sample, groupAt, `sample ${i + 1}, ${columns.group}`),
  }));
}

/** Predicts at the samples with the reader and the model of the service, to the stored cell. */
export async function predictedAt(
  pack: Pack,
  samples: readonly HeldOutSample[],
): Promise<Predictions> {
  const cellAt = cellsAt(pack);
  const predicted: PredictedSample[] = [];
  let [outside, withoutData] = [0, 0];
  for (const sample of samples) {
    const cell = cellAt(sample.position);
    const bands = cell === null ? null : await predictedBands(pack, cell);
    if (cell === null) outside += 1;
    else if (bands === null) withoutData += 1;
    else predicted.push({ ...sample, cell, bands });
  }
  return { samples: predicted, outside, withoutData };
}

/** Number of the samples whose position is also in the training table. */
export function alsoInTraining(samples: readonly HeldOutSample[], training: string): number {
  // Six decimals are about 0.1 m.
  const key = (position: LonLat): string => position.map((degree) => degree.toFixed(6)).join(' ');
  const seen = new Set(readSampleTable(training).samples.map(({ position }) => key(position)));
  return samples.filter(({ position }) => seen.has(key(position))).length;
}
