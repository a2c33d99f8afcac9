import { type EstimatePorts, estimateBatch } from '../../../domain/admission/estimate.ts';
import { ESTIMATE_PER_UNIT } from '../../../domain/admission/request-rate.ts';
import type { ReceiverPolicy } from '../../../domain/delivery/receiver-policy.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { readQuery } from '../../contract/query.ts';
import { withPlainBody } from '../../http/content-encoding.ts';
import type { Operation } from '../../http/handle.ts';
import type { Weigh } from '../../http/metered.ts';
import { violationsProblem } from '../../http/problem.ts';
import { tenantOf } from '../../http/request.ts';
import { uncached } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { createRequest, createRequestExample } from './create-request.ts';
import example from './estimate-batch.example.json' with { type: 'json' };
import { estimateResponse } from './estimate-response.ts';
import { estimateView } from './estimate-view.ts';
import { readWeighedBody } from './weighed-body.ts';
import { weightText } from './weight-text.ts';

/** @param policy of webhooks, so that an estimate rejects what a creation rejects */
export function estimateBatchOperation(
  ports: EstimatePorts,
  policy: ReceiverPolicy,
  weigh: Weigh,
): Operation {
  return async (request) => {
    const cpuStart = ports.cpuClock();
    readQuery(request, []);
    const requested = await readWeighedBody(
      withPlainBody(request),
      policy,
      weigh,
      ESTIMATE_PER_UNIT,
    );
    const estimate = await estimateBatch(ports, tenantOf(request), requested, cpuStart);
    if (estimate.kind === 'refused') throw violationsProblem('validation', estimate.violations);
    return uncached(200, estimateView(estimate));
  };
}

export const estimateBatchSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'Estimate a batch',
  description: `Returns what creating a batch with this body would yield: for each job its area, cells, patch-batches and model, or the error it would fail with; for the batch the expected time, cost and quota. The body is validated as for a creation and the jobs are planned as the pipeline plans them, so the numbers are the same. Nothing is stored or charged to the quota. Planning stops after ${LIMITS.estimateCpuSeconds} seconds of CPU time, which 1,000 ordinary fields do not reach; the response marks the jobs that are left. ${weightText(ESTIMATE_PER_UNIT)}`,
  parameters: ['webhookSecret'],
  body: { schema: createRequest, example: createRequestExample },
  response: {
    status: 200,
    description: 'The estimate',
    headers: ['Cache-Control'],
    content: { schema: estimateResponse, example: example },
  },
  problems: ['not-json', 'not-utf-8', 'body-too-large', 'media-type', 'validation'],
};
