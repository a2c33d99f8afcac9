import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import {
  type BodySize,
  computeWeight,
  TOTAL_PER_UNIT,
} from '../../domain/admission/request-rate.ts';
import { type RetentionPorts, resultsExpiredAt } from '../../domain/batch/owned-batch.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  findUnknownJobs,
  type ReadTotalPorts,
  readOwnedBatches,
  readTotal,
} from '../../domain/total/read-total.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import type { Weigher } from '../http/metered.ts';
import { jobNotFound, noResults } from '../http/not-found.ts';
import { violationsProblem } from '../http/problem.ts';
import { readId, readRepeated } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { pollAgain, revalidated } from '../http/response.ts';
import total from './examples/batch-total.json' with { type: 'json' };
import { totalResponse } from './total-response.ts';
import { totalView } from './total-view.ts';

export const batchTotalDefinition = {
  operationId: 'getBatchTotal',
  tag: 'Batches',
  summary: 'Total of batches',
  description: `Area, mean and stock of all completed jobs together, for each model and data period, with the interval that a single polygon with all their cells would have. The prediction errors of neighbouring fields are correlated, so the interval is not the sum of the jobs' bounds or variances (see \`docs/intervals.md\`). With \`by\`, \`strata\` has the same figures for the jobs with each value of a property; the intervals of the strata do not add up either. \`left_out\` counts the other jobs. The operation counts against the request rate as one request for each ${TOTAL_PER_UNIT.jobs} jobs or ${TOTAL_PER_UNIT.bodyBytes / 1_000} kB of their polygons, whichever is more, up to half of \`requests_at_once\` (\`GET /v1/limits\`).`,
  parameters: ['batchId', 'moreBatches', 'excludedJobs', 'stratumProperty', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The totals in their current state',
    headers: ['Retry-After', 'ETag', 'Cache-Control'],
    content: { schema: totalResponse, example: total },
  },
  problems: ['batch-not-found', 'job-not-found', 'results-expired'],
} as const satisfies OperationDefinition;

export interface BatchTotalPorts extends ReadTotalPorts, RetentionPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly weigh: Weigher;
}

export function batchTotalOperation(ports: BatchTotalPorts): Operation {
  return async (request) => {
    const values = readRepeated(request, {
      batch_id: LIMITS.batchesPerTotal - 1,
      exclude: LIMITS.excludedJobsPerTotal,
      by: 1,
    });
    const more = values('batch_id').map((id) => id.toLowerCase());
    const exclude = values('exclude').map((id) => id.toLowerCase());
    const ids = [readId(request, 'batch_id'), ...more];
    const batches = await readOwnedBatches(ports, tenantOf(request), [...new Set(ids)]);
    if ('unknown' in batches) throw noResults(resultsExpiredAt(ports, batches.unknown));
    const [unknown] = findUnknownJobs(batches, exclude);
    if (unknown !== undefined) throw jobNotFound(unknown);
    const weigh = (size: BodySize) =>
      ports.weigh(request, computeWeight(size, TOTAL_PER_UNIT, request.requestsPerMinute) - 1);
    const [by = null] = values('by');
    const total = await readTotal(ports, batches, weigh, { exclude: new Set(exclude), by });
    if (total.refused !== null) {
      throw violationsProblem('parameter-invalid', [{ pointer: '/by', message: total.refused }]);
    }
    const view = totalView(total, await ports.catalogue());
    return revalidated(request, view, pollAgain(total.finished));
  };
}
