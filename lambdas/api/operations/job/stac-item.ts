import { boxOf, geometryOf } from '#engine/geometry/geojson.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { RawJson, stringify } from '#engine/json/raw-json.ts';
import type { RasterFile } from '#engine/model/geotiff/raster-file.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import { polygonDigest, provenanceIn } from '../../../domain/job/finishing/provenance.ts';
import { polygonIn } from '../../../domain/job/job-text.ts';
import type { JobDetail } from '../../../domain/job/reading/job-view.ts';
import type { FinishedResult } from '../../../domain/job/reading/read-result.ts';
import { paths } from '../../http/routes.ts';
import { resultLinks } from './result-links.ts';
import { soilFields } from './soil-fields.ts';
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

export const STAC_VERSION = '1.1.0';

export interface StacSources {
  readonly result: FinishedResult;
  readonly detail: JobDetail;
  /** The job as sent. */
  readonly text: Uint8Array;
  readonly polygon: MultiPolygonRings;
  readonly manifest: Manifest;
  readonly file: RasterFile;
  readonly baseUrl: string;
}

/** A job's result as a STAC 1.1 Item (https://github.com/radiantearth/stac-spec/blob/v1.1.0/item-spec), in JSON. */
export async function stacItem(sources: StacSources): Promise<string> {
  const { result, detail, polygon, manifest, file, baseUrl } = sources;
  const { batch, jobId, model } = result;
  const geometry = geometryOf(polygon);
  const { item: self } = resultLinks(baseUrl, batch.batchId, jobId);
  const properties = {
    ...described(sources),
    ...(await processing(sources)),
    'soil:geometry_sha256': polygonDigest(geometry),
    ...projected(manifest, file),
    ...soilFields(detail),
  };
  return stringify({
    type: 'Feature',
    stac_version: STAC_VERSION,
    stac_extensions: EXTENSIONS,
    id: jobId,
    geometry,
    bbox: boxOf(polygon),
    properties: new RawJson(stringify(properties)),
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
  });
}

function described({ result, manifest }: StacSources) {
  const { record, entries, jobIndex, model } = result;
  const entry = entries[jobIndex];
  const { name, depth_cm } = manifest.property;
  const licenses = new Set(manifest.licenses.map(({ license }) => license));
  const [license = 'other'] = licenses;
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
    license: licenses.size === 1 && SPDX.test(license) ? license : 'other',
  };
}

/** STAC's pattern. */
const SPDX = /^[\w.+-]+$/;

/** How the result was made, as its raster tells: a later deployment may have another version or pack. */
async function processing({ result, manifest, text, file }: StacSources) {
  const { version, pack, polygon } = provenanceIn(Object.fromEntries(await file.fileItems()));
  return {
    'processing:software': {
      ...(version === undefined ? {} : { 'soil-batch': version }),
      [manifest.id]: manifest.version,
    },
    'processing:lineage': `Predicted by the model ${result.model.id}`,
    ...(pack === undefined ? {} : { 'soil:model_sha256': pack }),
    // The polygon may have megabytes of foreign fields, which the digest includes.
    'soil:polygon_sha256': polygon ?? polygonDigest(polygonIn(text)),
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
