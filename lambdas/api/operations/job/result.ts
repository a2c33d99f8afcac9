import { downloadNames } from '../../../domain/job/reading/download-names.ts';
import type { ReadResultPorts } from '../../../domain/job/reading/read-result.ts';
import type { ResultSigner } from '../../../domain/job/reading/result-signer.ts';
import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { resultOf } from './result-of.ts';

export interface ResultPorts extends ReadResultPorts {
  readonly signer: ResultSigner;
}

export function resultOperation(ports: ResultPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const { batch, entries, jobIndex, jobId } = await resultOf(ports, request);
    const fileName = downloadNames(batch, entries)[jobIndex] ?? '';
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const { url } = await ports.signer.sign(batch.batchId, jobId, fileName, method);
    return { status: 302, headers: { Location: url, 'Cache-Control': 'no-store' }, body: '' };
  };
}

export const resultSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'Result of a job',
  description:
    'A link that lasts as long as the result: redirects to a newly signed URL. S3 accepts a URL only for the method that it was signed for, so a HEAD request gets one for HEAD. Do not send `Authorization` to the signed URL: S3 rejects it with 400. curl, browsers, `fetch` of Node, requests, httpx and GDAL (`GDAL_HTTP_HEADERS`, with `CPL_VSIL_CURL_USE_HEAD=NO`) drop the header on a redirect to another host. wget, Python’s urllib and Java’s `HttpClient` send it: use `add_unredirected_header` with urllib; with the others do not follow the redirect, but request `Location` without the header.',
  parameters: ['batchId', 'jobId'],
  response: {
    status: 302,
    description: 'The raster is at `Location`, for 24 hours',
    headers: ['Location', 'Cache-Control'],
    content: 'none',
  },
  problems: [
    'batch-not-found',
    'job-not-found',
    'result-not-found',
    'results-expired',
    'signing-key-unavailable',
  ],
};
