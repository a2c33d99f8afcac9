import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import { type BodySize, TOTAL_PER_UNIT, weightOf } from '../../domain/admission/request-rate.ts';
import { type RetentionPorts, resultsExpiredAt } from '../../domain/batch/owned-batch.ts';
import {
  type BatchResults,
  type ReadResultsPorts,
  readResults,
} from '../../domain/batch/read-results.ts';
import type { Timestamp } from '../../domain/clock.ts';
import {
  type CursorKey,
  type CursorScope,
  decodeCursor,
  encodeCursor,
} from '../../domain/cursor.ts';
import { entryAt, type JobRequests } from '../../domain/job/job-requests.ts';
import { jobDetail } from '../../domain/job/reading/job-view.ts';
import type { ReadResultPorts } from '../../domain/job/reading/read-result.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  ownedBatches,
  type ReadTotalPorts,
  readTotal,
  unknownJobs,
} from '../../domain/total/read-total.ts';
import { BATCH_OPERATIONS } from '../definitions/batches.ts';
import { GEOJSON } from '../definitions/geojson.ts';
import type { Builders } from '../handling/built-with.ts';
import type { Operation } from '../handling/handle.ts';
import type { Weigh } from '../handling/metered.ts';
import { pathOf } from '../handling/routes.ts';
import {
  batchNotFound,
  jobNotFound,
  modelNotFound,
  resultsExpired,
} from '../problems/not-found.ts';
import type { Problem } from '../problems/problem.ts';
import { cursorProblem, knownResultsFormat, readResultsFormat } from '../requests/parameters.ts';
import { readId, readQuery, readRepeated } from '../requests/query.ts';
import { tenantOf } from '../requests/request.ts';
import { pollAgain, revalidated, revalidatedText } from '../responses/response.ts';
import { ownedResult } from './job/owned-result.ts';
import { resultPreviewOperation } from './job/preview.ts';
import { type ItemPorts, stacItem } from './job/stac-item.ts';
import { mediaTypeOfPage, type NextPage, resultsPage, textOfPage } from './results/results-page.ts';
import { totalView } from './results/total-view.ts';

/** Operations that read rasters, or the errors that are stored with them. */
export const RESULT_READS = {
  'batch-results': batchResultsOperation,
  'batch-total': batchTotalOperation,
  'result-item': resultItemOperation,
  'result-preview': resultPreviewOperation,
} as const satisfies Builders;

export interface ResultItemPorts extends ReadResultPorts, ItemPorts {
  readonly jobRequests: Pick<JobRequests, 'entries' | 'job'>;
}

export function resultItemOperation(ports: ResultItemPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const result = await ownedResult(ports, request);
    const { batch, jobIndex, record, entries } = result;
    const entry = entryAt(entries, batch.batchId, jobIndex);
    const requested = await ports.jobRequests.job(batch.batchId, entry);
    const detail = jobDetail(batch, jobIndex, entry, record, requested, null);
    const item = await stacItem(ports, { result, detail, requested }, request.baseUrl);
    if (item === null) throw modelNotFound();
    return revalidatedText(request, GEOJSON, item, {});
  };
}

export type BatchResultsPorts = ReadResultsPorts & RetentionPorts & ItemPorts & CursorKey;

/** Bytes end a page, not a number of rows. */
const NO_LIMIT = 0;

const CURSOR_RULE =
  '`next_cursor` or that of the link "next" of the previous page, unchanged, in the same format';

export function batchResultsOperation(ports: BatchResultsPorts): Operation {
  return async (request) => {
    const tenant = tenantOf(request);
    const batchId = readId(request, 'batch_id');
    const query = readQuery(request, ['format', 'cursor'], { format: knownResultsFormat() });
    const format = readResultsFormat(query.format);
    const scope: CursorScope = { tenant, resource: ['results', batchId, format] };
    const key = await ports.cursorKey();
    const first = readPosition(key, scope, query.cursor);

    const results = await readResults(ports, tenant, batchId);
    if (results === null) throw noResults(resultsExpiredAt(ports, batchId));
    const { baseUrl } = request;
    const pageRequest = { format, first, baseUrl };
    const page = await resultsPage(ports, results, pageRequest);
    const nextPage = (position: number): NextPage => {
      const cursor = encodeCursor(key, scope, { first: position, limit: NO_LIMIT });
      const path = pathOf(BATCH_OPERATIONS['batch-results'], { batch_id: batchId });
      return { cursor, url: `${baseUrl}${path}?format=${format}&cursor=${cursor}` };
    };
    const next = page.next === null ? null : nextPage(page.next);
    const text = textOfPage(results, pageRequest, page, next);
    return revalidatedText(request, mediaTypeOfPage(pageRequest), text, headersOf(results, next));
  };
}

export interface BatchTotalPorts extends ReadTotalPorts, RetentionPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly weigh: Weigh;
}

export function batchTotalOperation(ports: BatchTotalPorts): Operation {
  return async (request) => {
    const values = readRepeated(request, {
      batch_id: LIMITS.batchesPerTotal - 1,
      exclude: LIMITS.excludedJobsPerTotal,
    });
    const more = values('batch_id').map((id) => id.toLowerCase());
    const exclude = values('exclude').map((id) => id.toLowerCase());
    const ids = [readId(request, 'batch_id'), ...more];
    const batches = await ownedBatches(ports, tenantOf(request), [...new Set(ids)]);
    if ('unknown' in batches) throw noResults(resultsExpiredAt(ports, batches.unknown));
    const [unknown] = unknownJobs(batches, exclude);
    if (unknown !== undefined) throw jobNotFound(unknown);
    const weigh = (size: BodySize) =>
      ports.weigh(request, weightOf(size, TOTAL_PER_UNIT, request.requestsPerMinute) - 1);
    const total = await readTotal(ports, batches, weigh, new Set(exclude));
    const view = totalView(total, await ports.catalogue());
    return revalidated(request, view, pollAgain(total.finished));
  };
}

function noResults(expiredAt: Timestamp | null): Problem {
  return expiredAt === null ? batchNotFound() : resultsExpired(expiredAt);
}

function readPosition(key: Uint8Array, scope: CursorScope, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const page = decodeCursor(key, scope, cursor);
  if (page === null) throw cursorProblem(CURSOR_RULE);
  return page.first;
}

function headersOf({ finished }: BatchResults, next: NextPage | null) {
  return {
    'Batch-Finished': String(finished),
    ...pollAgain(finished),
    // RFC 8288
    ...(next === null ? {} : { Link: `<${next.url}>; rel="next"` }),
  };
}
