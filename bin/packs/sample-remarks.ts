import type { Manifest } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { findSupport } from '#engine/model/pack/property.ts';
import { outsideRemarks } from './cell-remarks.ts';
import { cellsAt, type GridCell } from './covariates-at.ts';
import { countText, supportText } from './implausible-bands.ts';
import type { PredictedSample } from './predicted-samples.ts';
import { readSampleTable } from './sample-table.ts';

/** What the samples themselves show, whatever is predicted. */
export function sampleWarnings(
  manifest: Manifest,
  samples: readonly PredictedSample[],
): readonly string[] {
  return [
    ...impossibleMeasurements(manifest, samples),
    ...repeatedRows(samples),
    ...outsideRemarks(manifest, samples, 'samples').flatMap(({ isWarning, text }) =>
      isWarning ? [text] : [],
    ),
  ];
}

function impossibleMeasurements(
  manifest: Manifest,
  samples: readonly PredictedSample[],
): readonly string[] {
  const support = findSupport(manifest);
  const beyond = samples.filter(
    ({ observed }) => observed < support.lower || observed > support.upper,
  );
  const [first] = beyond;
  if (first === undefined) return [];
  return [
    `${countText(beyond, samples, 'measurements')} are values that ${manifest.property.name} cannot have, such as ${first.observed}: it is ${supportText(support)}. Remove the rows of missing values`,
  ];
}

function repeatedRows(samples: readonly PredictedSample[]): readonly string[] {
  const keys = samples.map(({ position, observed }) => [...position, observed].join(' '));
  const repeated = samples.length - new Set(keys).size;
  if (repeated === 0) return [];
  return [
    `${repeated} of ${samples.length} rows repeat the position and the value of another: they count as independent, and make the intervals too narrow`,
  ];
}

/**
 * Whether a cell has a sample of the training: the model saw its covariates, and a measurement near by.
 * @param training a table of samples
 */
export function trainedCells(pack: Pack, training: string): (cell: GridCell | null) => boolean {
  const cellAt = cellsAt(pack);
  const key = (cell: GridCell | null): string => (cell === null ? '' : `${cell.col} ${cell.row}`);
  const trained = new Set(
    readSampleTable(training).samples.map(({ position }) => key(cellAt(position))),
  );
  return (cell) => cell !== null && trained.has(key(cell));
}
