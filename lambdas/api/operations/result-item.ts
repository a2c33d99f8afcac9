import { NO_COPIES } from '../../domain/destination/copy-status.ts';
import { entryAt, type JobRequests } from '../../domain/job/job-requests.ts';
import { jobDetail } from '../../domain/job/reading/job-view.ts';
import type { ReadResultPorts } from '../../domain/job/reading/read-result.ts';
import { GEOJSON } from '../../results/formats.ts';
import { type ItemPorts, stacItem } from '../../results/stac-item.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { modelNotFound } from '../http/not-found.ts';
import { readQuery } from '../http/query.ts';
import { revalidatedText } from '../http/response.ts';
import { ownedResult, rasterUnavailable } from './result.ts';
import { item } from './result-table.ts';

export const resultItemDefinition = {
  operationId: 'getResultItem',
  tag: 'Batches',
  summary: 'STAC Item of a result',
  description:
    'The result as a STAC 1.1 Item with the extensions file, processing, projection, raster and scientific. It has the polygon, the data period, the bands with their statistics, and links to the result, its preview and its style, which require your API key. The link `derived_from` names the model (`mlm:name`); `sci:citation`, `soil:licenses` (one per part of the model; `license` is the SPDX identifier that all parts share, or else `other`) and `soil:not_for` come from the model. `soil:summary`, `soil:warnings` and `soil:properties` come from the job. SHA-256 digests are in hex: `soil:model_sha256` has one for each of the model’s files at prediction, by path in the model pack (covariates at URLs have none); `soil:polygon_sha256` is the digest of the polygon as JSON without white space, with fields in the order sent; `soil:geometry_sha256` is the digest of the item’s geometry in this form. `processing:software` has the version of the service that made the result, and the model’s version.',
  parameters: ['batchId', 'jobId', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The item',
    headers: ['ETag', 'Cache-Control'],
    content: { mediaType: GEOJSON, schemas: [item] },
  },
  problems: [
    'batch-not-found',
    'job-not-found',
    'result-not-found',
    'results-expired',
    'model-not-found',
  ],
} as const satisfies OperationDefinition;

export interface ResultItemPorts extends ReadResultPorts, ItemPorts {
  readonly jobRequests: Pick<JobRequests, 'entries' | 'job'>;
}

export function resultItemOperation(ports: ResultItemPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const result = await ownedResult(ports, request);
    const { batch, jobIndex, record, entries } = result;
    const entry = entryAt(entries, batch.batch_id, jobIndex);
    const requested = await ports.jobRequests.job(batch.batch_id, entry);
    const detail = jobDetail(batch, jobIndex, entry, record, requested, null, NO_COPIES.viewJob);
    const found = await stacItem(ports, { result, detail, requested }, request.baseUrl).catch(
      rasterUnavailable,
    );
    if (found === null) throw modelNotFound();
    return revalidatedText(request, GEOJSON, found, {});
  };
}
