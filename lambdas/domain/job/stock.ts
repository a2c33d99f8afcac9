import type { Manifest } from '#engine/model/pack/manifest.ts';
import { densityOf, supportOf } from '#engine/model/pack/property.ts';

const SQUARE_METRES_PER_HECTARE = 10_000;
const KILOGRAMS_PER_TONNE = 1_000;
const CENTIMETRES_PER_METRE = 100;

export function isPossible(manifest: Manifest, mean: number): boolean {
  const { lower, upper } = supportOf(manifest);
  // Cells at an end of the support may have a mean that is a rounding error beyond it.
  const slack = Math.abs(mean) * 2 ** -20;
  return mean >= lower - slack && mean <= upper + slack;
}

/** Tonnes on the area per unit of the mean; null for a unit that gives none. */
export function tonnesPerUnit(
  { unit, depth_cm }: Manifest['property'],
  hectares: number,
): number | null {
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
