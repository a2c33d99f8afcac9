import { type BodySize, weightOf } from '../../../domain/admission/request-rate.ts';
import type { NewBatch } from '../../../domain/batch/new-batch.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import type { Weigh } from '../../handling/metered.ts';
import type { ApiRequest } from '../../requests/request.ts';
import { readCreateBody } from './create-body.ts';

/**
 * The batch that a request's body describes. Its bytes count against the request rate before they are parsed, so that
 * an invalid body counts too; its jobs count once they are known.
 * @param request with its body decompressed
 * @param atOne the size of a body that counts as one request
 * @throws Problem 429, or one that lists everything wrong with the body
 */
export async function readWeighedBody(
  request: ApiRequest,
  policy: ReceiverPolicy,
  weigh: Weigh,
  atOne: BodySize,
): Promise<NewBatch> {
  const bodyBytes = request.body.byteLength;
  const weightWith = (jobs: number) =>
    weightOf({ jobs, bodyBytes }, atOne, request.requestsPerMinute);
  const ofBytes = weightWith(0);
  await weigh(request, ofBytes - 1);
  const requested = readCreateBody(request, policy);
  await weigh(request, weightWith(requested.jobs.length) - ofBytes);
  return requested;
}
