import { PackFileUnavailable } from '#engine/model/pack/pack-files.ts';
import { downloadNames } from '../../domain/job/reading/download-names.ts';
import {
  type FinishedResult,
  type ReadResultPorts,
  readResult,
} from '../../domain/job/reading/read-result.ts';
import type { ResultSigner } from '../../domain/job/reading/result-signer.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { batchNotFound, jobNotFound, resultNotFound, resultsExpired } from '../http/not-found.ts';
import { Problem } from '../http/problem.ts';
import { readId, readQuery } from '../http/query.ts';
import { type ApiRequest, tenantOf } from '../http/request.ts';
import { POLL_AFTER_SECONDS } from '../http/response.ts';

export const resultDefinition = {
  operationId: 'getResult',
  tag: 'Batches',
  summary: 'Result of a job',
  description:
    'A link that works as long as the result exists and redirects to a newly signed URL. S3 accepts a URL only for the method that it was signed for, so a HEAD request gets a URL for HEAD. Do not send `Authorization` to the signed URL, because S3 rejects it with 400. curl, browsers, Node’s `fetch`, requests, httpx and GDAL (`GDAL_HTTP_HEADERS`, with `CPL_VSIL_CURL_USE_HEAD=NO`) drop the header on a redirect to another host. wget, Python’s urllib and a Java `HttpClient` that follows redirects keep it: use `add_unredirected_header` with urllib; with the others do not follow the redirect, but request `Location` without the header.',
  parameters: ['batchId', 'jobId'],
  response: {
    status: 302,
    description: '`Location` is the URL of the raster, valid for 24 hours',
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
} as const satisfies OperationDefinition;

export interface ResultPorts extends ReadResultPorts {
  readonly signer: ResultSigner;
}

export function resultOperation(ports: ResultPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const { batch, entries, jobIndex, jobId, record } = await ownedResult(ports, request);
    const fileName = downloadNames(batch, entries)(jobIndex, record.model);
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const { url } = await ports.signer.sign(batch.batch_id, jobId, fileName, method);
    return { status: 302, headers: { Location: url, 'Cache-Control': 'no-store' }, body: '' };
  };
}

/** Reads the completed job that the path names. @throws Problem 404 if there is none, 410 if it has expired */
export async function ownedResult(
  ports: ReadResultPorts,
  request: ApiRequest,
): Promise<FinishedResult> {
  const [batchId, jobId] = [readId(request, 'batch_id'), readId(request, 'job_id')];
  const reading = await readResult(ports, tenantOf(request), batchId, jobId);
  if (reading.kind === 'batch-unknown') throw batchNotFound();
  if (reading.kind === 'expired') throw resultsExpired(reading.at);
  if (reading.kind === 'job-unknown') throw jobNotFound();
  if (reading.kind === 'no-result') throw resultNotFound(reading.failed);
  return reading;
}

/** @throws Problem 503 if a later attempt to read the raster may succeed, otherwise the error itself */
export function rasterUnavailable(error: unknown): never {
  if (!(error instanceof PackFileUnavailable && error.transient)) throw error;
  throw new Problem(
    'unavailable',
    'The result cannot be read at the moment. Retry after the time in Retry-After.',
    {
      headers: { 'Retry-After': String(POLL_AFTER_SECONDS) },
    },
  );
}
