import { entryAt, type JobRequests } from '../../../domain/job/job-requests.ts';
import { partsIn, propertiesIn } from '../../../domain/job/job-text.ts';
import { jobDetail } from '../../../domain/job/reading/job-view.ts';
import type { ReadResultPorts } from '../../../domain/job/reading/read-result.ts';
import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { modelNotFound } from '../../http/not-found.ts';
import { GEOJSON, revalidatedText } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { type ItemPorts, itemOfResult } from './item-of-result.ts';
import { resultOf } from './result-of.ts';

export interface ResultItemPorts extends ReadResultPorts, ItemPorts {
  readonly jobRequests: Pick<JobRequests, 'entries' | 'job'>;
}

export function resultItemOperation(ports: ResultItemPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const result = await resultOf(ports, request);
    const { batch, jobIndex, record, entries } = result;
    const entry = entryAt(entries, batch.batchId, jobIndex);
    const text = await ports.jobRequests.job(batch.batchId, entry);
    const parts = entry.parts ?? partsIn(text);
    const properties = propertiesIn(text, parts);
    const detail = jobDetail(batch, jobIndex, entry, record, properties, null);
    const item = await itemOfResult(ports, { result, detail, text, parts }, request.baseUrl);
    if (item === null) throw modelNotFound();
    return revalidatedText(request, GEOJSON, item, {});
  };
}

export const resultItemSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'STAC Item of a result',
  description:
    'The result as a STAC 1.1 Item with the extensions file, processing, projection and raster: the polygon, the period of the data, the bands with their statistics, and links to the result, its preview and its style, which need your API key. A link `derived_from` names the model (`mlm:name`). `soil:summary`, `soil:warnings` and `soil:properties` are those of the job. SHA-256 digests in hex: `soil:model_sha256` of the model’s files at prediction, by path in the model pack (a covariate at a URL has none); `soil:polygon_sha256` of the polygon as JSON without white space, fields in the order sent; `soil:geometry_sha256` likewise of the item’s geometry. `processing:software` has the versions of the service that made the result and of the model.',
  parameters: ['batchId', 'jobId', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The item',
    headers: ['ETag', 'Cache-Control'],
    content: { mediaType: GEOJSON },
  },
  problems: [
    'batch-not-found',
    'job-not-found',
    'result-not-found',
    'results-expired',
    'model-not-found',
  ],
};
