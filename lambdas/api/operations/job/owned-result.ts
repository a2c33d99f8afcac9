import { PackFileUnavailable } from '#engine/model/pack/pack-files.ts';
import {
  type FinishedResult,
  type ReadResultPorts,
  readResult,
} from '../../../domain/job/reading/read-result.ts';
import {
  batchNotFound,
  jobNotFound,
  resultNotFound,
  resultsExpired,
} from '../../problems/not-found.ts';
import { Problem } from '../../problems/problem.ts';
import { readId } from '../../requests/query.ts';
import { type ApiRequest, tenantOf } from '../../requests/request.ts';
import { POLL_AFTER_SECONDS } from '../../responses/response.ts';

/**
 * The completed job that the path names.
 * @throws Problem 404 if there is none, 410 if it has expired
 */
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

/** @throws Problem 503 if a later attempt to read the raster may succeed, or else the error itself */
export function rasterUnavailable(error: unknown): never {
  if (!(error instanceof PackFileUnavailable && error.transient)) throw error;
  throw new Problem('unavailable', 'The result can not be read at this moment; retry shortly.', {
    headers: { 'Retry-After': String(POLL_AFTER_SECONDS) },
  });
}
