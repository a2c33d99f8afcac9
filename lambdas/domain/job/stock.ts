import { SQUARE_METRES_PER_HECTARE } from '#engine/geometry/ellipsoid.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import { densityOf, supportOf } from '#engine/model/pack/property.ts';
import { type JobSummary, rounded } from './job-summary.ts';

const KILOGRAMS_PER_TONNE = 1_000;
const CENTIMETRES_PER_METRE = 100;

interface Mean {
  readonly mean: number;
  /** It is null if the model states no interval. */
  readonly interval: {
    readonly lower: number;
    readonly upper: number;
    readonly standardError: number;
  } | null;
  /** The predicted area. */
  readonly hectares: number;
}

interface Stocks {
  readonly stock: NonNullable<JobSummary['stock']>;
  readonly perHectare: number;
  /** It is null if the model states no interval. */
  readonly standardError: number | null;
}

/** The stock of an area; null if the property cannot have this mean, or its unit gives none. */
export function stockOf(manifest: Manifest, { mean, interval, hectares }: Mean): Stocks | null {
  const { property } = manifest;
  const tonnes = isPossible(manifest, mean) ? tonnesPerUnit(property, hectares) : null;
  if (tonnes === null) return null;
  return {
    stock: {
      value: rounded(mean * tonnes),
      lower: interval === null ? null : rounded(interval.lower * tonnes),
      upper: interval === null ? null : rounded(interval.upper * tonnes),
      unit: 't',
      substance: property.substance ?? null,
    },
    perHectare: rounded((mean * tonnes) / hectares),
    standardError: interval === null ? null : rounded(interval.standardError * tonnes),
  };
}

function isPossible(manifest: Manifest, mean: number): boolean {
  const { lower, upper } = supportOf(manifest);
  // Cells at an end of the support may have a mean that is a rounding error beyond it.
  const slack = Math.abs(mean) * 2 ** -20;
  return mean >= lower - slack && mean <= upper + slack;
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
