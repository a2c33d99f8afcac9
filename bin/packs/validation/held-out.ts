import type { Pack } from '#engine/model/pack/pack.ts';
import { cellsAt, type GridCell, type LonLat } from '../covariates-at.ts';
import { columnAt, nameIn, numberIn, readSampleTable } from '../sample-table.ts';
import { type PredictedValues, predictedValues } from '../sampled-cells.ts';

/** A measurement that the model did not see. */
export interface HeldOutSample {
  readonly position: LonLat;
  /** In the property's unit. */
  readonly observed: number;
  /** Null without groups. */
  readonly group: string | null;
}

/** A sample with what the service predicts in its cell. */
export interface PredictedSample extends HeldOutSample, PredictedValues {
  readonly cell: GridCell;
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
    const values = cell === null ? null : await predictedValues(pack, cell);
    if (cell === null) outside += 1;
    else if (values === null) withoutData += 1;
    else predicted.push({ ...sample, cell, ...values });
  }
  return { samples: predicted, outside, withoutData };
}
