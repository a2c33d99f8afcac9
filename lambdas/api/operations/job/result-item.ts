import type { FinishedResultPorts } from '../../../domain/job/finished-result.ts';
import { entryOf, type JobRequests } from '../../../domain/job/job-requests.ts';
import { polygonIn } from '../../../domain/job/job-text.ts';
import type { ResultFiles } from '../../../domain/job/result-files.ts';
import { parseJobPolygon } from '../../../geometry/parse.ts';
import { openRasterFile } from '../../../model/geotiff/raster-file.ts';
import type { PackCatalogue } from '../../../model/pack/catalogue.ts';
import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { modelNotFound } from '../../http/not-found.ts';
import { revalidatedText } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { rasterUnavailable, resultOf } from './result-of.ts';
import { stacItem } from './stac-item.ts';

/** RFC 7946, section 12. */
const GEOJSON = 'application/geo+json';

export interface ResultItemPorts extends FinishedResultPorts {
  readonly jobRequests: Pick<JobRequests, 'entries' | 'job'>;
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly resultFiles: ResultFiles;
  readonly version: string;
}

export function resultItemOperation(ports: ResultItemPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const result = await resultOf(ports, request);
    const { batchId } = result.batch;
    const pack = (await ports.catalogue()).find(result.model.id);
    if (pack === undefined) throw modelNotFound();
    const entry = await entryOf(ports.jobRequests, batchId, result.jobIndex);
    const parsed = parseJobPolygon(polygonIn(await ports.jobRequests.job(batchId, entry)));
    if (parsed.kind === 'problem')
      throw new Error(`a completed job has the polygon ${parsed.code}`);
    const { files, href } = ports.resultFiles.open(batchId, result.jobId);
    const file = await openRasterFile(files, href).catch(rasterUnavailable);
    const item = await stacItem({
      result,
      polygon: parsed.polygon,
      manifest: pack.manifest,
      file,
      version: ports.version,
      baseUrl: request.baseUrl,
    });
    return revalidatedText(request, GEOJSON, JSON.stringify(item), {});
  };
}

export const resultItemSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'STAC Item of a result',
  description:
    'The result as a STAC 1.1 Item with the extensions file, processing, projection and raster: the polygon, the period of the data, the bands with their statistics, and links to the result, its preview and its style, which need your API key. A link `derived_from` names the model (`mlm:name`).',
  parameters: ['batchId', 'jobId', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The item',
    headers: ['ETag', 'Cache-Control'],
    content: { mediaType: GEOJSON },
  },
  problems: ['batch-not-found', 'job-not-found', 'result-not-found', 'model-not-found'],
};
