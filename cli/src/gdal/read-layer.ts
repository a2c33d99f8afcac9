import type { Attribute, CoordinateReferenceSystem } from '../fields/field-collection.ts';
import type { UncheckedFeature } from '../fields/polygons.ts';
import { type Area, firstPosition, isNear, isNoName } from '../fields/rules/reference-systems.ts';
import { type Dataset, type Gdal, GdalError, type Point } from './gdal.ts';
import { datasetInfo, type LayerInfo, type ProjJson } from './layer-info.ts';
import { areaOfUse, type Definition, systemOf } from './reference-systems.ts';
import { OutsideArea, toWgs84, UnknownCrs } from './to-wgs84.ts';

export interface MemoryFile {
  readonly name: string;
  readonly content: Uint8Array;
}

export interface ReadLayerTask {
  readonly kind: 'read-layer';
  /** The first is opened; the others lie beside it. */
  readonly files: readonly [MemoryFile, ...MemoryFile[]];
  readonly driver: 'GPKG' | 'ESRI Shapefile' | 'FlatGeobuf' | 'GeoJSON' | 'CSV';
  readonly openOptions: readonly string[];
  readonly layer: string | null;
  /** EPSG code of the system that a file without one is in; null if it is not known. */
  readonly crs: number | null;
  readonly maxFeatures: number;
}

export type ReadLayerResult =
  | {
      readonly outcome: 'read';
      readonly layer: string;
      readonly crs: CoordinateReferenceSystem;
      readonly attributes: readonly Attribute[];
      /** In WGS 84; coordinates may still have heights. */
      readonly features: readonly UncheckedFeature[];
    }
  | { readonly outcome: 'damaged'; readonly reason: string }
  | { readonly outcome: 'choose-layer'; readonly layers: readonly string[] }
  | { readonly outcome: 'too-many'; readonly count: number }
  | { readonly outcome: 'no-crs' }
  | { readonly outcome: 'names-other'; readonly crs: CoordinateReferenceSystem }
  | { readonly outcome: 'unknown-code' }
  | { readonly outcome: 'far-away'; readonly place: Point }
  | {
      readonly outcome: 'outside';
      readonly crs: CoordinateReferenceSystem;
      readonly area: string;
      readonly place: Point;
    }
  | {
      readonly outcome: 'unknown-crs';
      readonly crs: CoordinateReferenceSystem;
      readonly reason: string;
    };

const FOLDER = '/input-';
const COPY = '/layer.geojson';
/** 0.1 mm: more digits would only lengthen the request. */
const DECIMALS = 1e9;
const FEATURES_AT_A_TIME = 1000;

export function readLayer(gdal: Gdal, task: ReadLayerTask): ReadLayerResult {
  try {
    for (const { name, content } of task.files) gdal.writeFile(`${FOLDER}${name}`, content);
    const path = `${FOLDER}${task.files[0].name}`;
    const dataset = gdal.open(path, [task.driver], task.openOptions);
    return readFrom(gdal, dataset, task);
  } catch (error) {
    if (error instanceof GdalError) return { outcome: 'damaged', reason: error.message };
    throw error;
  }
}

function readFrom(gdal: Gdal, dataset: Dataset, task: ReadLayerTask): ReadLayerResult {
  const { layer: wanted, maxFeatures } = task;
  const { layers } = datasetInfo.parse(gdal.vectorInfo(dataset, ['-so']));
  // The others are tables without geometry, such as QGIS's styles.
  const spatial = layers.filter(({ geometryFields }) => geometryFields.length > 0);
  const names = spatial.map(({ name }) => name);
  const candidates = spatial.filter(({ name }) => wanted === null || name === wanted);
  const [layer] = candidates;
  if (layer === undefined || candidates.length > 1)
    return { outcome: 'choose-layer', layers: names };
  if (layer.featureCount > maxFeatures) return { outcome: 'too-many', count: layer.featureCount };
  const own = ownSystem(layer, task.crs);
  if (own === null && task.crs === null) return { outcome: 'no-crs' };
  if (own !== null && task.crs !== null && Number(own.projjson.id?.code) !== task.crs) {
    // The caller has compared what GeoJSON names; GDAL takes it for WGS 84 if it does not know the system.
    if (task.driver === 'GeoJSON') return { outcome: 'unknown-code' };
    return { outcome: 'names-other', crs: described(own.projjson) };
  }
  const system = own ?? systemOf(gdal, task.crs ?? 0);
  if (system === null) return { outcome: 'unknown-code' };
  return converted(gdal, { dataset, layer, system, isChosen: task.crs !== null });
}

/** The system that the file names. One that is called unknown gives way to that of the user. */
function ownSystem({ geometryFields }: LayerInfo, chosen: number | null): Definition | null {
  const system = geometryFields[0]?.coordinateSystem;
  if (system?.projjson === undefined) return null;
  const { wkt, projjson } = system;
  return chosen !== null && isNoName(projjson.name) ? null : { wkt, projjson };
}

interface SourceLayer {
  readonly dataset: Dataset;
  readonly layer: LayerInfo;
  readonly system: Definition;
  /** Whether the user says so, not the file. */
  readonly isChosen: boolean;
}

function converted(gdal: Gdal, { dataset, layer, system, isChosen }: SourceLayer): ReadLayerResult {
  const crs = described(system.projjson);
  try {
    const transform = toWgs84(gdal, system.wkt, system.projjson);
    const features = reprojected(featuresOf(gdal, dataset, layer), transform);
    const far = isChosen ? firstFarAway(features, areaOfUse(gdal, system.projjson)?.area) : null;
    if (far !== null) return { outcome: 'far-away', place: far };
    const { wkt } = system;
    const attributes = attributesOf(layer);
    return { outcome: 'read', layer: layer.name, crs: { ...crs, wkt }, attributes, features };
  } catch (error) {
    if (error instanceof OutsideArea) {
      const { area, place } = error;
      return { outcome: 'outside', crs, area, place };
    }
    if (!(error instanceof UnknownCrs)) throw error;
    return { outcome: 'unknown-crs', crs, reason: error.message };
  }
}

/** The first corner that can't be meant if the file is in a system of this area. */
function firstFarAway(features: readonly UncheckedFeature[], area: Area | undefined): Point | null {
  if (area === undefined) return null;
  for (const { geometry } of features) {
    const [lon, lat] = firstPosition(geometry);
    if (lon === undefined || lat === undefined || isNear(area, lon, lat)) continue;
    return [lon, lat];
  }
  return null;
}

function described({ id, name }: ProjJson): CoordinateReferenceSystem {
  return { code: id === undefined ? null : `${id.authority}:${id.code}`, name };
}

/** The key of a GeoPackage is an attribute like others: people give it names, and name fields by it. */
function attributesOf({ fidColumnName, fields }: LayerInfo): readonly Attribute[] {
  const key = { name: fidColumnName, type: 'Integer64', subtype: null };
  return [
    ...(hasKey({ fidColumnName, fields }) ? [key] : []),
    ...fields.map(({ name, type, subType }) => ({ name, type, subtype: subType ?? null })),
  ];
}

function hasKey({ fidColumnName, fields }: Pick<LayerInfo, 'fidColumnName' | 'fields'>): boolean {
  return fidColumnName !== '' && !fields.some(({ name }) => name === fidColumnName);
}

/** The layer's features in its own system. Curves become lines. */
function featuresOf(gdal: Gdal, dataset: Dataset, layer: LayerInfo): UncheckedFeature[] {
  const options = ['-f', 'GeoJSON', '-nlt', 'CONVERT_TO_LINEAR', '-lco', 'WRITE_NAME=NO'];
  const key = hasKey(layer) ? layer.fidColumnName : null;
  const withId = key === null ? [] : ['-preserve_fid'];
  gdal.vectorTranslate(dataset, COPY, [...options, ...withId, layer.name]);
  const text = new TextDecoder().decode(gdal.readFile(COPY));
  // GDAL wrote it.
  const { features }: Written = JSON.parse(text);
  if (key === null) return [...features];
  return features.map(({ id, geometry, properties }) => ({
    geometry,
    properties: { [key]: id, ...properties },
  }));
}

interface Written {
  readonly features: readonly (UncheckedFeature & { readonly id?: number })[];
}

/** Changes the features; few at a time, because each point takes memory three times over meanwhile. */
function reprojected(
  features: UncheckedFeature[],
  transform: (points: readonly Point[]) => readonly Point[],
): readonly UncheckedFeature[] {
  for (let start = 0; start < features.length; start += FEATURES_AT_A_TIME) {
    const some = features.slice(start, start + FEATURES_AT_A_TIME);
    const positions = some.flatMap(({ geometry }) => positionsIn(geometry));
    const points = positions.map(([x = Number.NaN, y = Number.NaN]): Point => [x, y]);
    for (const [index, [lon, lat]] of transform(points).entries()) {
      positions[index]?.splice(0, 2, rounded(lon), rounded(lat));
    }
  }
  return features;
}

function rounded(degrees: number): number {
  return Math.round(degrees * DECIMALS) / DECIMALS;
}

/** The positions of a geometry that GDAL wrote, to be changed in place. */
function positionsIn(geometry: unknown): number[][] {
  if (typeof geometry !== 'object' || geometry === null || !('coordinates' in geometry)) return [];
  return leaves(geometry.coordinates);
}

function leaves(value: unknown): number[][] {
  if (!Array.isArray(value)) return [];
  return typeof value[0] === 'number' ? [value] : value.flatMap(leaves);
}
