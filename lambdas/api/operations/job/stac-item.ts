import type { FinishedResult } from '../../../domain/job/finished-result.ts';
import type { MultiPolygonRings } from '../../../geometry/polygon.ts';
import type { RasterFile } from '../../../model/geotiff/raster-file.ts';
import type { Manifest } from '../../../model/pack/manifest.ts';
import { paths } from '../../http/routes.ts';
import { stacAssets } from './stac-assets.ts';

/**
 * Not the extension `mlm`: it is for items that describe models, and its schema requires an asset with
 * the model. For what a model predicted it has the link `derived_from` with `mlm:name`.
 */
const EXTENSIONS = [
  'https://stac-extensions.github.io/file/v2.1.0/schema.json',
  'https://stac-extensions.github.io/processing/v1.2.0/schema.json',
  'https://stac-extensions.github.io/projection/v2.0.0/schema.json',
  'https://stac-extensions.github.io/raster/v2.0.0/schema.json',
];

export interface StacSources {
  readonly result: FinishedResult;
  readonly polygon: MultiPolygonRings;
  readonly manifest: Manifest;
  readonly file: RasterFile;
  readonly version: string;
  readonly baseUrl: string;
}

/** A job's result as a STAC 1.1 Item (https://github.com/radiantearth/stac-spec/blob/v1.1.0/item-spec). */
export async function stacItem(sources: StacSources) {
  const { result, polygon, manifest, file, baseUrl } = sources;
  const { batch, jobId, model } = result;
  const self = baseUrl + paths.ofResult(batch.batchId, jobId, 'item');
  return {
    type: 'Feature',
    stac_version: '1.1.0',
    stac_extensions: EXTENSIONS,
    id: jobId,
    geometry: geometryOf(polygon),
    bbox: boxOf(polygon),
    properties: { ...described(sources), ...processing(sources), ...projected(manifest, file) },
    links: [
      { rel: 'self', href: self, type: 'application/geo+json' },
      {
        rel: 'derived_from',
        href: baseUrl + paths.models,
        type: 'application/json',
        title: manifest.title,
        'mlm:name': model.id,
      },
    ],
    assets: await stacAssets(result, manifest, file, baseUrl),
  };
}

function described({ result, manifest }: StacSources) {
  const { record, entries, jobIndex, model } = result;
  const entry = entries[jobIndex];
  const { name, depth_cm } = manifest.property;
  const licences = new Set(manifest.licences.map(({ licence }) => licence));
  const [licence = 'other'] = licences;
  const [first, last] = model.dataPeriod;
  return {
    title: entry?.name ?? manifest.title,
    description: `${name}, ${depth_cm.join('–')} cm${entry === undefined ? '' : `, requested for ${entry.year}`}`,
    datetime: null,
    // The years of the data, not the year of the request.
    start_datetime: `${first}-01-01T00:00:00Z`,
    end_datetime: `${last}-12-31T23:59:59Z`,
    created: record.state.status === 'completed' ? record.state.completedAt : record.updatedAt,
    // STAC allows one SPDX identifier, or "other".
    license: licences.size === 1 && SPDX.test(licence) ? licence : 'other',
  };
}

/** STAC's pattern. */
const SPDX = /^[\w.+-]+$/;

function processing({ result, version }: StacSources) {
  return {
    'processing:software': { 'soil-batch': version, [result.model.id]: 'model' },
    'processing:lineage': `Predicted by the model ${result.model.id}`,
  };
}

function projected({ grid }: Manifest, { georeference, levels }: RasterFile) {
  const { west, north, cellWidth, cellHeight } = georeference;
  const [{ width, height } = { width: 0, height: 0 }] = levels;
  return {
    'proj:code': `EPSG:${grid.crs.epsg}`,
    'proj:shape': [height, width],
    'proj:transform': [cellWidth, 0, west, 0, -cellHeight, north],
    'proj:bbox': [west, north - height * cellHeight, west + width * cellWidth, north],
  };
}

function geometryOf(polygon: MultiPolygonRings) {
  const [only] = polygon;
  return polygon.length === 1 && only !== undefined
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: polygon };
}

function boxOf(polygon: MultiPolygonRings): readonly number[] {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of polygon.flat(2)) {
    box[0] = Math.min(box[0] ?? x, x);
    box[1] = Math.min(box[1] ?? y, y);
    box[2] = Math.max(box[2] ?? x, x);
    box[3] = Math.max(box[3] ?? y, y);
  }
  return box;
}
