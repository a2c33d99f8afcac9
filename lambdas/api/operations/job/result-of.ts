import {
  type FinishedResult,
  type FinishedResultPorts,
  finishedResult,
} from '../../../domain/job/finished-result.ts';
import { readId } from '../../contract/query.ts';
import { batchNotFound, jobNotFound, resultNotFound } from '../../http/not-found.ts';
import { type ApiRequest, tenantOf } from '../../http/request.ts';

/**
 * The completed job that the path names.
 * @throws Problem 404 if there is none
 */
export async function resultOf(
  ports: FinishedResultPorts,
  request: ApiRequest,
): Promise<FinishedResult> {
  const [batchId, jobId] = [readId(request, 'batch_id'), readId(request, 'job_id')];
  const reading = await finishedResult(ports, tenantOf(request), batchId, jobId);
  if (reading.kind === 'batch-unknown') throw batchNotFound();
  if (reading.kind === 'job-unknown') throw jobNotFound();
  if (reading.kind === 'no-result') throw resultNotFound(reading.failed);
  return reading;
}
