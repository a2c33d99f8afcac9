import type { FinishedResult } from '../../../domain/job/finished-result.ts';
import type { JobDetail } from '../../../domain/job/job-detail.ts';
import { polygonIn } from '../../../domain/job/job-text.ts';
import type { ResultFiles } from '../../../domain/job/result-files.ts';
import { parseGeoJsonPolygon } from '../../../geometry/parse.ts';
import { openRasterFile } from '../../../model/geotiff/raster-file.ts';
import type { PackCatalogue } from '../../../model/pack/catalogue.ts';
import { rasterUnavailable } from './result-of.ts';
import { stacItem } from './stac-item.ts';

export interface ItemPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly resultFiles: ResultFiles;
}

interface Described {
  readonly result: FinishedResult;
  readonly detail: JobDetail;
  /** The job as sent. */
  readonly text: Uint8Array;
}

/**
 * The STAC Item of a result, in JSON; null if this deployment has no longer its model.
 * @throws Problem 503 if a later attempt to read the raster may succeed
 */
export async function itemOfResult(
  { catalogue, resultFiles }: ItemPorts,
  { result, detail, text }: Described,
  baseUrl: string,
): Promise<string | null> {
  const pack = (await catalogue()).find(result.model.id);
  if (pack === undefined) return null;
  const sentPolygon = polygonIn(text);
  const parsed = parseGeoJsonPolygon(sentPolygon);
  if (parsed.kind === 'problem') throw new Error(`a completed job has the polygon ${parsed.code}`);
  const { files, href } = resultFiles.open(result.batch.batchId, result.jobId);
  const file = await openRasterFile(files, href).catch(rasterUnavailable);
  const { manifest } = pack;
  const { polygon } = parsed;
  return stacItem({ result, detail, polygon, sentPolygon, manifest, file, baseUrl });
}
