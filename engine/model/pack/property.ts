import { SQUARE_METRES_PER_HECTARE } from '../../geometry/ellipsoid.ts';
import type { Band, Manifest } from './manifest.ts';
import usualLimits from './property-limits.json' with { type: 'json' };
import { toSample } from './samples.ts';

export interface Limits {
  readonly lower: number;
  readonly upper: number;
}

type Property = Manifest['property'];

/**
 * The first row of `property-limits.json` that fits the name and the unit (`models/tools/soil_packs/limits.py` reads
 * the same file).
 */
const findUsualLimits = ({ name, unit }: Pick<Property, 'name' | 'unit'>) =>
  usualLimits.find(
    (row) =>
      (row.name === undefined || new RegExp(row.name, 'i').test(name)) &&
      (row.unit === undefined || new RegExp(`^(?:${row.unit})$`).test(normaliseUnit(unit))),
  );

/**
 * The values that a measurement of the property can have: the manifest's limits, or otherwise the physical
 * limits.
 */
export function findLimits(property: Pick<Property, 'name' | 'unit' | 'limits'>): Limits {
  const [lower, upper] = property.limits ?? findUsualLimits(property)?.limits ?? [];
  return { lower: lower ?? -Infinity, upper: upper ?? Infinity };
}

/** Whether a ratio of two values is meaningful: amounts have a true zero, but a pH or a difference does not. */
export function hasTrueZero({
  property,
  distribution,
}: Pick<Manifest, 'property' | 'distribution'>): boolean {
  if (property.limits !== undefined && property.limits[0] !== 0) return false;
  const usual = findUsualLimits(property);
  return usual === undefined ? distribution?.lower === 0 : usual.amount === true;
}

/** The values that a prediction can have: the support of its distribution within the property's limits. */
export function findSupport({
  property,
  distribution,
}: Pick<Manifest, 'property' | 'distribution'>): Limits {
  const { lower, upper } = findLimits(property);
  return {
    lower: Math.max(lower, distribution?.lower ?? -Infinity),
    upper: Math.min(upper, distribution?.upper ?? Infinity),
  };
}

/** In the spelling of UDUNITS. */
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

/** Parses a unit from which a stock can be computed, in one of the usual UDUNITS spellings; null for other units. */
export function parseDensityUnit(unit: string): 'kg/m3' | 't/ha' | null {
  const plain = normaliseUnit(unit);
  if (/^kg ?\/ ?m3$|^kg[ .·*]m-3$/.test(plain)) return 'kg/m3';
  if (/^(?:t|Mg) ?\/ ?ha$|^(?:t|Mg)[ .·*]ha-1$/.test(plain)) return 't/ha';
  return null;
}

/** Writes powers as plain digits, without superscripts and power signs. */
function normaliseUnit(unit: string): string {
  return unit
    .replaceAll(/[⁻¹²³]/g, (sign) => '-123'['⁻¹²³'.indexOf(sign)] ?? sign)
    .replaceAll(/\^|\*\*/g, '');
}

const KILOGRAMS_PER_TONNE = 1_000;
const CENTIMETRES_PER_METRE = 100;

/** Tonnes per hectare in the layer, per unit of the property; null for a unit from which no stock can be computed. */
export function computeTonnesPerHectare({ unit, depth_cm }: Manifest['property']): number | null {
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
