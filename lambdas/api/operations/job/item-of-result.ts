import { openRasterFile } from '#engine/model/geotiff/raster-file.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { ResultFiles } from '../../../domain/job/finishing/rasters.ts';
import type { JobParts } from '../../../domain/job/job-requests.ts';
import { ringsIn } from '../../../domain/job/job-text.ts';
import type { JobDetail } from '../../../domain/job/reading/job-view.ts';
import type { FinishedResult } from '../../../domain/job/reading/read-result.ts';
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
  readonly parts: JobParts;
}

/**
 * The STAC Item of a result, in JSON; null if this deployment has no longer its model.
 * @throws Problem 503 if a later attempt to read the raster may succeed
 */
export async function itemOfResult(
  { catalogue, resultFiles }: ItemPorts,
  { result, detail, text, parts }: Described,
  baseUrl: string,
): Promise<string | null> {
  const pack = (await catalogue()).find(result.model.id);
  if (pack === undefined) return null;
  const polygon = ringsIn(text, parts);
  if (polygon === null) throw new Error(`the completed job ${result.jobId} has no polygon`);
  const { files, href } = resultFiles.open(result.batch.batchId, result.jobId);
  const file = await openRasterFile(files, href).catch(rasterUnavailable);
  const { manifest } = pack;
  return stacItem({ result, detail, text, polygon, manifest, file, baseUrl });
}
