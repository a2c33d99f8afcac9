import type { Pack } from '#engine/model/pack/pack.ts';
import { meanBand } from '#engine/model/pack/summarised-bands.ts';
import { figure } from '../sample-table.ts';
import { type Accuracy, accuracyOf, momentsOf, type Pair, type PartAccuracy } from './accuracy.ts';
import {
  type ClaimedInterval,
  type Coverage,
  claimedIntervals,
  coverageOf,
  shareInside,
} from './coverage.ts';
import { type MeansCoverage, meansCoverage } from './group-means.ts';
import type { PredictedSample, Predictions } from './held-out.ts';
import { refusals } from './refusals.ts';
import { byGroup, quantileOf } from './resampling.ts';
import type { Share } from './share.ts';

/** A part of the samples, for which figures are reported but not judged. */
export interface Part {
  readonly name: string;
  readonly accuracy: PartAccuracy;
  /** Of the outermost interval; null without one. */
  readonly inside: Share | null;
}

/** What held-out samples say of a pack. Values are in the property's unit, intervals at 95 %. */
export interface Validation {
  readonly model: string;
  readonly unit: string;
  readonly samples: {
    readonly predicted: number;
    readonly outside_grid: number;
    readonly without_covariates: number;
  };
  readonly accuracy: Accuracy;
  readonly coverage: readonly Coverage[];
  /** By thirds of the prediction. */
  readonly thirds: readonly Part[];
  readonly groups: readonly Part[];
  readonly group_means: MeansCoverage | null;
  /** What cannot be chance. */
  readonly refusals: readonly string[];
}

/** With fewer samples chance explains everything. */
const FEWEST_SAMPLES = 10;

export interface Validated {
  readonly validation: Validation;
  /** For figures. */
  readonly pairs: readonly Pair[];
}

/** @throws Error if the pack predicts no quantity, or too few samples have a prediction */
export function validated(
  { ref, manifest }: Pick<Pack, 'ref' | 'manifest'>,
  { samples, outside, withoutData }: Predictions,
): Validated {
  const meanAt = meanBand(manifest);
  if (meanAt === -1) throw new Error(`${ref} has no band with the mean of a quantity`);
  if (samples.length < FEWEST_SAMPLES) {
    throw new Error(
      `only ${samples.length} samples have a prediction (${outside} are outside the grid, ${withoutData} lack a covariate); at least ${FEWEST_SAMPLES} are needed`,
    );
  }
  const pairs = samples.map((sample) => pairOf(sample, meanAt));
  const intervals = claimedIntervals(manifest);
  const partOf = (name: string, part: readonly PredictedSample[]): Part =>
    partFigures(name, part, meanAt, intervals[0] ?? null);
  const validation = {
    model: ref,
    unit: manifest.property.unit,
    samples: { predicted: samples.length, outside_grid: outside, without_covariates: withoutData },
    accuracy: accuracyOf(pairs),
    coverage: intervals.map((interval) => coverageOf(interval, samples)),
    thirds: thirdsOf(samples, meanAt).map((third) => partOf(rangeOf(third, meanAt), third)),
    groups: groupsOf(samples).map(([name, members]) => partOf(name, members)),
    group_means: meansCoverage(manifest, samples),
    refusals: refusals(manifest, samples, pairs),
  };
  return { validation, pairs };
}

function pairOf({ observed, bands, group }: PredictedSample, meanAt: number): Pair {
  return { observed, predicted: bands[meanAt] ?? Number.NaN, group };
}

function partFigures(
  name: string,
  samples: readonly PredictedSample[],
  meanAt: number,
  interval: ClaimedInterval | null,
): Part {
  const accuracy = momentsOf(samples.map((sample) => pairOf(sample, meanAt)));
  const inside = interval === null ? null : shareInside(interval, samples);
  return { name, accuracy, inside };
}

/** By the prediction: thirds of the measurements show regression to the mean for any model. */
function thirdsOf(
  samples: readonly PredictedSample[],
  meanAt: number,
): readonly (readonly PredictedSample[])[] {
  const sorted = samples.toSorted((a, b) => (a.bands[meanAt] ?? 0) - (b.bands[meanAt] ?? 0));
  const cut = (third: number): number => Math.round((sorted.length * third) / 3);
  return [0, 1, 2].map((third) => sorted.slice(cut(third), cut(third + 1)));
}

function rangeOf(third: readonly PredictedSample[], meanAt: number): string {
  const values = third.map(({ bands }) => bands[meanAt] ?? Number.NaN);
  return [quantileOf(values, 0), quantileOf(values, 1)].map(figure).join(' to ');
}

function groupsOf(
  samples: readonly PredictedSample[],
): readonly (readonly [name: string, members: readonly PredictedSample[]])[] {
  return [...byGroup(samples.filter(({ group }) => group !== null))];
}
