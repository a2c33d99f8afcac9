import { boxOf, geometryOf } from '#engine/geometry/geojson.ts';
import { RawJson, stringify } from '#engine/json/raw-json.ts';
import type { ResultRow } from '../../../domain/batch/read-results.ts';
import { RASTER_MEDIA_TYPE } from '../../../domain/job/finishing/rasters.ts';
import { ringsIn } from '../../../domain/job/job-text.ts';
import { type ItemPorts, itemOfResult } from '../job/item-of-result.ts';
import { resultLinks } from '../job/result-links.ts';
import { soilFields } from '../job/soil-fields.ts';
import { STAC_VERSION } from '../job/stac-item.ts';

/** The Item of `…/item` for a completed job, and one without assets for others. */
export async function itemOf(
  ports: ItemPorts,
  row: ResultRow,
  batchId: string,
  baseUrl: string,
): Promise<string> {
  const { result, text, parts } = row;
  const item =
    result === null
      ? null
      : await itemOfResult(ports, { result, detail: row, text, parts }, baseUrl);
  return item ?? plainItem(row, batchId, baseUrl);
}

/**
 * An Item of a job without a result, or whose model this deployment no longer has. Without data there is
 * no period: `datetime`, which STAC requires, is the time of the request.
 */
function plainItem(row: ResultRow, batchId: string, baseUrl: string): string {
  const { job, result, text, parts } = row;
  const polygon = ringsIn(text, parts);
  const place =
    polygon === null ? { geometry: null } : { geometry: geometryOf(polygon), bbox: boxOf(polygon) };
  const properties = {
    title: job.name ?? job.job_id,
    datetime: job.created_at,
    created: job.created_at,
    ...soilFields(row),
  };
  const href = resultLinks(baseUrl, batchId, job.job_id).result;
  return stringify({
    type: 'Feature',
    stac_version: STAC_VERSION,
    stac_extensions: [],
    id: job.job_id,
    ...place,
    properties: new RawJson(stringify(properties)),
    links: [],
    assets: result === null ? {} : { data: { href, type: RASTER_MEDIA_TYPE, roles: ['data'] } },
  });
}
