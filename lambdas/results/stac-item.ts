import { toGeoJsonBox, toGeoJsonGeometry } from '#engine/geometry/geojson.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { openRasterFile, type RasterFile } from '#engine/model/geotiff/raster-file.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
import { unitOf } from '#engine/model/pack/property.ts';
import { formatCitation, listLicenses } from '#engine/model/pack/sources.ts';
import { formatPath } from '../api/routes.ts';
import type { ItemHrefs } from '../domain/destination/copy-results.ts';
import { parseProvenance, polygonDigest } from '../domain/job/finishing/provenance.ts';
import { RASTER_MEDIA_TYPE, type ResultFiles } from '../domain/job/finishing/rasters.ts';
import type { JobModel } from '../domain/job/job.ts';
import type { JobDetail } from '../domain/job/reading/job-view.ts';
import type { FinishedResult } from '../domain/job/reading/read-result.ts';
import { type RequestedJob, validPolygon } from '../domain/job/requested-job.ts';
import { GEOJSON } from './formats.ts';
import { type JobLinks, jobLinks } from './result-links.ts';

/**
 * The `mlm` extension is not listed: it is for items that describe models, and its schema requires an asset with the
 * model. The link `derived_from` with `mlm:name` names the model behind a prediction.
 */
const EXTENSIONS = [
  'https://stac-extensions.github.io/file/v2.1.0/schema.json',
  'https://stac-extensions.github.io/processing/v1.2.0/schema.json',
  'https://stac-extensions.github.io/projection/v2.0.0/schema.json',
  'https://stac-extensions.github.io/raster/v2.0.0/schema.json',
  'https://stac-extensions.github.io/scientific/v1.0.0/schema.json',
];

export const STAC_VERSION = '1.1.0';

export interface ItemPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly resultFiles: ResultFiles;
}

interface StacSubject {
  readonly result: FinishedResult;
  readonly detail: JobDetail;
  readonly requested: RequestedJob;
}

/**
 * Writes a result's STAC Item as JSON; null if the deployment no longer has its model.
 * @param hrefs the URLs of an Item and its raster outside the API; by default, the API's own
 * @throws PackFileUnavailable if the raster cannot be read
 */
export async function stacItem(
  { catalogue, resultFiles }: ItemPorts,
  { result, detail, requested }: StacSubject,
  baseUrl: string,
  hrefs: Partial<ItemHrefs> = {},
): Promise<string | null> {
  const pack = (await catalogue()).findMap(result.record.model.id, undefined);
  if (pack === undefined) return null;
  const polygon = validPolygon(requested);
  const { files, href } = resultFiles.open(result.batch.batch_id, result.jobId);
  const file = await openRasterFile(files, href);
  const { manifest } = pack;
  return itemText({ result, detail, requested, polygon, manifest, file, baseUrl, hrefs });
}

interface StacSources {
  readonly result: FinishedResult;
  readonly detail: JobDetail;
  readonly requested: RequestedJob;
  readonly polygon: MultiPolygonRings;
  readonly manifest: Manifest;
  readonly file: RasterFile;
  readonly baseUrl: string;
  readonly hrefs: Partial<ItemHrefs>;
}

/** STAC 1.1 (https://github.com/radiantearth/stac-spec/blob/v1.1.0/item-spec). */
async function itemText(sources: StacSources): Promise<string> {
  const { result, detail, polygon, manifest, file, baseUrl, hrefs } = sources;
  const { batch, jobId, record } = result;
  const geometry = toGeoJsonGeometry(polygon);
  const { item: self, ...links } = jobLinks(baseUrl, batch.batch_id)(jobId);
  const properties = {
    ...descriptionFields(sources),
    ...(await processingFields(sources)),
    'soil:geometry_sha256': polygonDigest(geometry),
    ...projectionFields(manifest, file),
    ...soilFields(detail),
    ...modelFields(manifest, record.model),
  };
  return JSON.stringify({
    type: 'Feature',
    stac_version: STAC_VERSION,
    stac_extensions: EXTENSIONS,
    id: jobId,
    geometry,
    bbox: toGeoJsonBox(polygon),
    properties,
    links: [
      { rel: 'self', href: hrefs.self ?? self, type: GEOJSON },
      {
        rel: 'derived_from',
        href: baseUrl + formatPath('models', {}),
        type: 'application/json',
        title: manifest.title,
        'mlm:name': record.model.id,
      },
    ],
    assets: await stacAssets(sources, { ...links, result: hrefs.data ?? links.result }),
  });
}

function descriptionFields({ result, manifest }: StacSources) {
  const { record, entries, jobIndex } = result;
  const entry = entries[jobIndex];
  const { name, depth_cm } = manifest.property;
  const licenses = listLicenses(manifest);
  const [license = 'other'] = licenses;
  const [first, last] = record.model.data_period;
  return {
    title: entry?.name ?? manifest.title,
    description: `${name}, ${depth_cm.join('–')} cm${entry === undefined ? '' : `, requested for ${entry.year}`}`,
    datetime: null,
    // The years of the data rather than the year of the request.
    start_datetime: `${first}-01-01T00:00:00Z`,
    end_datetime: `${last}-12-31T23:59:59Z`,
    created: record.completed_at,
    // STAC allows one SPDX identifier, or "other".
    license: licenses.length === 1 && SPDX.test(license) ? license : 'other',
    'sci:citation': formatCitation(manifest),
  };
}

/** STAC's pattern for licences. */
const SPDX = /^[\w.+-]+$/;

/** Reads the raster's tags, because a later deployment may have another version or pack. */
async function processingFields({ result, manifest, requested, file }: StacSources) {
  const { version, pack, covariateFiles, polygon } = parseProvenance(
    Object.fromEntries(await file.readFileItems()),
  );
  return {
    'processing:software': {
      ...(version === undefined ? {} : { 'soil-batch': version }),
      [manifest.id]: manifest.version,
    },
    'processing:lineage': `Predicted by the model ${result.record.model.id}`,
    ...(pack === undefined ? {} : { 'soil:model_sha256': pack }),
    ...(covariateFiles === undefined ? {} : { 'soil:covariate_files': covariateFiles }),
    'soil:polygon_sha256': polygon ?? requested.polygonSha256,
  };
}

function projectionFields({ grid }: Manifest, { georeference, levels }: RasterFile) {
  const { west, north, cellWidth, cellHeight } = georeference;
  const [{ width, height } = { width: 0, height: 0 }] = levels;
  return {
    'proj:code': `EPSG:${grid.crs.epsg}`,
    'proj:shape': [height, width],
    'proj:transform': [cellWidth, 0, west, 0, -cellHeight, north],
    'proj:bbox': [west, north - height * cellHeight, west + width * cellWidth, north],
  };
}

/** The links outlast signed URLs. */
async function stacAssets(
  { result: { record }, manifest, file, baseUrl }: StacSources,
  links: Pick<ReturnType<JobLinks>, 'result' | 'preview'>,
) {
  return {
    data: {
      href: links.result,
      type: RASTER_MEDIA_TYPE,
      title: manifest.title,
      roles: ['data'],
      'file:size': record.raster_bytes,
      'file:byte_order': 'little-endian',
      bands: await Promise.all(
        manifest.bands.map((band, i) => bandObject(manifest, file, band, i)),
      ),
    },
    preview: {
      href: links.preview,
      type: 'image/svg+xml',
      title: 'Map with legend',
      roles: ['overview'],
    },
    style: {
      href: baseUrl + formatPath('model-style', { model: record.model.id }),
      type: 'application/x-qgis-layer-settings',
      title: 'QGIS style',
      roles: ['style'],
    },
  };
}

/**
 * Common metadata of STAC 1.1 and of the raster extension. The statistics and `nodata` are stored values, before scale
 * and offset.
 */
async function bandObject(manifest: Manifest, file: RasterFile, band: Band, index: number) {
  const items = await file.readBandItems(index);
  const numberOf = (name: string) => Number(items.get(`STATISTICS_${name}`));
  const statistics = items.has('STATISTICS_MEAN')
    ? {
        statistics: {
          minimum: numberOf('MINIMUM'),
          maximum: numberOf('MAXIMUM'),
          mean: numberOf('MEAN'),
          stddev: numberOf('STDDEV'),
          valid_percent: numberOf('VALID_PERCENT'),
        },
      }
    : {};
  return {
    name: band.name,
    description: band.description,
    unit: unitOf(manifest, band),
    data_type: manifest.raster.sample_type,
    nodata: manifest.nodata,
    ...statistics,
    'raster:sampling': 'area',
    'raster:spatial_resolution': file.georeference.cellWidth,
    ...(band.scale === undefined ? {} : { 'raster:scale': band.scale }),
    ...(band.offset === undefined ? {} : { 'raster:offset': band.offset }),
  };
}

function modelFields(manifest: Manifest, { data_period, sha256 }: JobModel) {
  const { property, sample_support, not_for, licenses } = manifest;
  return {
    'soil:property': property.name,
    'soil:unit': property.unit,
    'soil:depth_cm': property.depth_cm,
    'soil:sample_support': sample_support,
    'soil:not_for': not_for,
    'soil:licenses': licenses.map(({ part, license }) => ({ part, license })),
    'soil:data_period': data_period,
    'soil:pack_sha256': sha256,
  };
}

/** The fields have the values of the job status. Nulls and an empty list of warnings are left out. */
export function soilFields({ job, properties }: JobDetail): Readonly<Record<string, unknown>> {
  const fields = {
    job_index: job.job_index,
    status: job.status,
    model: job.model,
    error_code: job.error_code,
    error_message: job.error_message,
    warnings: job.warnings.length === 0 ? null : job.warnings,
    summary: job.summary,
    properties,
  };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [`soil:${name}`, value]),
  );
}
