import type { FieldCollection } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import { MAX_FIELDS, MAX_JSON_CONTAINERS } from './limits.ts';
import { polygonsOf } from './polygons.ts';
import type { ReadOptions } from './read-options.ts';
import { type KmlLayer, readKml } from './rules/kml.ts';
import { KmlError } from './rules/placemark.ts';
import { namesOther, wrongLayer } from './vector-file.ts';

const WGS84 = 4326;
const LIMITS = { features: MAX_FIELDS, positions: MAX_JSON_CONTAINERS };

/** KML, whose coordinates are always in WGS 84. */
export function readKmlFile(
  file: string,
  content: Uint8Array,
  { layer: wanted = null, crs = null }: ReadOptions,
): FieldCollection {
  if (crs !== null && crs !== WGS84) throw namesOther(file, `EPSG:${WGS84}`, crs);
  const layers = layersOf(file, content);
  const candidates = layers.filter(({ name }) => wanted === null || name === wanted);
  const [layer] = candidates;
  if (layer === undefined || candidates.length > 1) {
    throw wrongLayer(
      file,
      layers.map(({ name }) => name),
      wanted,
    );
  }
  return {
    format: 'KML',
    layer: layer.name,
    crs: { code: `EPSG:${WGS84}`, name: 'WGS 84' },
    attributes: null,
    ...polygonsOf(file, layer.features),
  };
}

function layersOf(file: string, content: Uint8Array): readonly KmlLayer[] {
  try {
    return readKml(content, LIMITS);
  } catch (error) {
    if (!(error instanceof KmlError)) throw error;
    const problem = error.problem === 'damaged' ? 'is no valid KML' : 'can not be read';
    throw new FieldsError(error.problem, `${file} ${problem}: ${error.message}.`, { cause: error });
  }
}
