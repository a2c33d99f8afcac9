import { SQUARE_METRES_PER_HECTARE } from '../../geometry/ellipsoid.ts';
import type { Band, Manifest } from './manifest.ts';
import { toSample } from './samples.ts';

const PH = { lower: 0, upper: 14 };

/** The values that the property can have: the support of its distribution; a density is never negative. */
export function findSupport({
  property,
  distribution,
}: Pick<Manifest, 'property' | 'distribution'>): {
  readonly lower: number;
  readonly upper: number;
} {
  if (/\bpH\b/.test(property.name)) return PH;
  const { lower, upper } = distribution ?? { lower: -Infinity, upper: Infinity };
  return { lower: parseDensityUnit(property.unit) === null ? lower : Math.max(lower, 0), upper };
}

/** The unit of a band's values, in the spelling of UDUNITS. */
export function unitOf(
  { property }: Pick<Manifest, 'property'>,
  { from }: Pick<Band, 'from'>,
): string {
  return from.kind === 'applicability' ? '1' : property.unit;
}

/** The support, rounded like a band's samples, so that a value at its end does not count as outside. */
export function findStoredSupport(
  manifest: Pick<Manifest, 'property' | 'distribution' | 'raster'>,
  band: Pick<Band, 'scale' | 'offset'>,
): { readonly lower: number; readonly upper: number } {
  const { scale = 1, offset = 0 } = band;
  const asSample = (value: number): number =>
    toSample(manifest.raster.sample_type, band, value) * scale + offset;
  const { lower, upper } = findSupport(manifest);
  return { lower: asSample(lower), upper: asSample(upper) };
}

/** The units from which a stock can be computed, in the spellings of UDUNITS. */
export function parseDensityUnit(unit: string): 'kg/m3' | 't/ha' | null {
  const plain = unit
    .replaceAll('³', '3')
    .replaceAll('⁻¹', '-1')
    .replaceAll(/\^|\*\*/g, '');
  if (/^kg ?\/ ?m3$|^kg[ .·*]m-3$/.test(plain)) return 'kg/m3';
  if (/^(?:t|Mg) ?\/ ?ha$|^(?:t|Mg)[ .·*]ha-1$/.test(plain)) return 't/ha';
  return null;
}

const KILOGRAMS_PER_TONNE = 1_000;
const CENTIMETRES_PER_METRE = 100;

/** Tonnes of the layer on a hectare, per unit of the property; null for a unit that is not a density. */
export function tonnesPerHectare({ unit, depth_cm }: Manifest['property']): number | null {
  switch (parseDensityUnit(unit)) {
    case 'kg/m3': {
      const metres = (depth_cm[1] - depth_cm[0]) / CENTIMETRES_PER_METRE;
      return (metres * SQUARE_METRES_PER_HECTARE) / KILOGRAMS_PER_TONNE;
    }
    case 't/ha':
      return 1;
    case null:
      return null;
  }
}
