import { type Gdal, GdalError, type Point } from './gdal.ts';
import type { ProjJson } from './layer-info.ts';
import { areaOfUse, isRegistered } from './reference-systems.ts';

/** A system whose relation to WGS 84 is not known. */
export class UnknownCrs extends Error {
  override readonly name = 'UnknownCrs';
}

/** A point outside the area of its system, where PROJ knows no shift to WGS 84. */
export class OutsideArea extends Error {
  override readonly name = 'OutsideArea';

  constructor(
    /** Longitude and latitude, to about a kilometre. */
    readonly place: Point,
    readonly area: string,
  ) {
    super(`outside ${area}`);
  }
}

const WGS84 = 'EPSG:4326';

/** 0.01 mm; every real shift between ellipsoids moves a latitude by more. */
const SAME_LATITUDE_DEGREES = 1e-10;

/** Of WGS 84 and GRS 1980, which differ by 0.1 mm in the other axis. */
const SEMI_MAJOR_AXIS_M = 6_378_137;

const DEGREES = {
  subtype: 'ellipsoidal',
  axis: [
    { name: 'Latitude', abbreviation: 'lat', direction: 'north', unit: 'degree' },
    { name: 'Longitude', abbreviation: 'lon', direction: 'east', unit: 'degree' },
  ],
};

/**
 * A function that moves points to WGS 84 longitude and latitude. Where PROJ knows no shift between two
 * datums, it leaves latitude and longitude as they are without a word ("ballpark transformation"), up to
 * kilometres off. Such points are rejected.
 */
export function toWgs84(gdal: Gdal, wkt: string, crs: ProjJson) {
  const geographic = baseOf(crs);
  const [transform, withoutShift] = transformers(gdal, wkt, [WGS84, JSON.stringify(geographic)]);
  let mayCoincide: boolean | undefined;
  return (points: readonly Point[]): readonly Point[] => {
    const result = transform(points);
    const unshifted = withoutShift(points);
    const isUnshifted = ([, latitude]: Point, index: number) =>
      Math.abs(latitude - (unshifted[index]?.[1] ?? Number.NaN)) < SAME_LATITUDE_DEGREES;
    const place = result.find(isUnshifted);
    if (place === undefined) return result;
    mayCoincide ??= coincidesWithWgs84(gdal, geographic);
    if (mayCoincide) return result;
    rejectOutside(gdal, crs, place);
    throw new UnknownCrs('no transformation of its datum to WGS 84 is known');
  };
}

/** @throws OutsideArea where the system is not made for the place */
function rejectOutside(gdal: Gdal, crs: ProjJson, [lon, lat]: Point): void {
  const use = areaOfUse(gdal, crs);
  if (use === null) return;
  const [west, south, east, north] = use.area;
  const isInside = lon >= west && lon <= east && lat >= south && lat <= north;
  if (!isInside) throw new OutsideArea([lon, lat], use.name);
}

function transformers(gdal: Gdal, from: string, [to, other]: readonly [string, string]) {
  try {
    return [gdal.transformer(from, to), gdal.transformer(from, other)] as const;
  } catch (error) {
    if (error instanceof GdalError) throw new UnknownCrs(error.message);
    throw error;
  }
}

/** The geographic system, in degrees, that a system is derived from. */
function baseOf(crs: ProjJson): ProjJson {
  const inner = crs.components?.[0] ?? crs.source_crs ?? crs.base_crs;
  if (inner !== undefined) return baseOf(inner);
  const { id: _, ...rest } = crs;
  const base = { ...rest, type: crs.type ?? 'GeographicCRS', coordinate_system: DEGREES };
  if (base.type === 'GeographicCRS') return base;
  throw new UnknownCrs('it has no longitude and latitude');
}

/**
 * Whether a datum may have the coordinates of WGS 84: it has its ellipsoid and is a registered one, not a
 * name for an unknown datum. Such datums (ETRS89, NAD83, GDA2020) differ by two metres at most.
 */
function coincidesWithWgs84(gdal: Gdal, { datum, datum_ensemble }: ProjJson): boolean {
  const { name, ellipsoid } = datum ?? datum_ensemble ?? { name: '' };
  const axis = ellipsoid?.semi_major_axis;
  const metres = typeof axis === 'object' ? axis.value : axis;
  if (datum_ensemble === undefined && metres !== SEMI_MAJOR_AXIS_M) return false;
  return isRegistered(gdal, name);
}
