import type { Manifest } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { supportOf } from '#engine/model/pack/property.ts';
import { outsideRemarks } from '../cell-remarks.ts';
import { cellsAt, type GridCell } from '../covariates-at.ts';
import { countText, supportText } from '../implausible-bands.ts';
import { readSampleTable } from '../sample-table.ts';
import type { HeldOutSample, PredictedSample } from './held-out.ts';

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
  samples: readonly HeldOutSample[],
): readonly string[] {
  const support = supportOf(manifest);
  const beyond = samples.filter(
    ({ observed }) => observed < support.lower || observed > support.upper,
  );
  const [first] = beyond;
  if (first === undefined) return [];
  return [
    `${countText(beyond, samples, 'measurements')} are values that ${manifest.property.name} cannot have, such as ${first.observed}: it is ${supportText(support)}. Remove the rows of missing values`,
  ];
}

function repeatedRows(samples: readonly HeldOutSample[]): readonly string[] {
  const keys = samples.map(({ position, observed }) => [...position, observed].join(' '));
  const repeated = samples.length - new Set(keys).size;
  if (repeated === 0) return [];
  return [
    `${repeated} of ${samples.length} rows repeat the position and the value of another: they count as independent, and make the intervals too narrow`,
  ];
}

/** Above it the samples prove nothing. */
const MOST_SEEN = 0.5;

export interface Seen {
  /** Whether so many are seen that the samples prove nothing. */
  readonly isRefusal: boolean;
  readonly text: string;
}

/**
 * Samples in the same cell of the grid as a sample of the training: the model saw these covariates, and a
 * measurement near by. Null if there are none.
 */
export function seenInTraining(
  pack: Pack,
  samples: readonly PredictedSample[],
  training: string,
): Seen | null {
  const cellAt = cellsAt(pack);
  const key = ({ col, row }: GridCell): string => `${col} ${row}`;
  const trained = new Set(
    readSampleTable(training).samples.flatMap(({ position }) => {
      const cell = cellAt(position);
      return cell === null ? [] : key(cell);
    }),
  );
  const seen = samples.filter(({ cell }) => trained.has(key(cell)));
  if (seen.length === 0) return null;
  return {
    isRefusal: seen.length > MOST_SEEN * samples.length,
    text: `${countText(seen, samples, 'samples')} lie in a grid cell with a sample of the training: the model saw that cell, so they make it look better than it is. Hold out whole blocks or fields`,
  };
}
