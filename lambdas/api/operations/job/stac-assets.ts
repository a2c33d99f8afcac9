import type { RasterFile } from '#engine/model/geotiff/raster-file.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
import { RASTER_MEDIA_TYPE } from '../../../domain/job/finishing/rasters.ts';
import type { FinishedResult } from '../../../domain/job/reading/read-result.ts';
import { paths } from '../../http/routes.ts';
import { resultLinks } from './result-links.ts';

/** The assets of a STAC Item, with links that outlast signed URLs. */
export async function stacAssets(
  { batch, jobId, record, model }: FinishedResult,
  manifest: Manifest,
  file: RasterFile,
  baseUrl: string,
) {
  const links = resultLinks(baseUrl, batch.batchId, jobId);
  return {
    data: {
      href: links.result,
      type: RASTER_MEDIA_TYPE,
      title: manifest.title,
      roles: ['data'],
      ...(record.result === undefined ? {} : { 'file:size': record.result.bytes }),
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
      href: baseUrl + paths.modelStyle(model.id),
      type: 'application/x-qgis-layer-settings',
      title: 'QGIS style',
      roles: ['style'],
    },
  };
}

/** Common metadata of STAC 1.1 and the raster extension. Numbers are of stored cells, before scale and offset. */
async function bandObject(manifest: Manifest, file: RasterFile, band: Band, index: number) {
  const items = await file.items(index);
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
    unit: manifest.property.unit,
    data_type: manifest.raster.sample_type,
    nodata: manifest.nodata,
    ...statistics,
    'raster:sampling': 'area',
    'raster:spatial_resolution': file.georeference.cellWidth,
    ...(band.scale === undefined ? {} : { 'raster:scale': band.scale }),
    ...(band.offset === undefined ? {} : { 'raster:offset': band.offset }),
  };
}
