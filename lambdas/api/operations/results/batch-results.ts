import { type RetentionPorts, resultsExpiredAt } from '../../../domain/batch/owned-batch.ts';
import {
  type BatchResults,
  type ReadResultsPorts,
  readResults,
} from '../../../domain/batch/read-results.ts';
import type { Timestamp } from '../../../domain/clock.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../../../domain/cursor.ts';
import type { CursorKey } from '../../contract/cursor-key.ts';
import {
  cursorProblem,
  readResultsFormat,
  resultsFormatFormat,
} from '../../contract/parameters.ts';
import { readId, readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { batchNotFound, resultsExpired } from '../../http/not-found.ts';
import type { Problem } from '../../http/problem.ts';
import { tenantOf } from '../../http/request.ts';
import { GEOJSON, pollAgain, revalidatedText } from '../../http/response.ts';
import { paths } from '../../http/routes.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import type { ItemPorts } from '../job/item-of-result.ts';
import { itemCollection, resultTable } from './result-collections.ts';
import { mediaTypeOfPage, resultsPage, textOfPage } from './results-page.ts';

export type BatchResultsPorts = ReadResultsPorts & RetentionPorts & ItemPorts & CursorKey;

/** Bytes end a page, not a number of rows. */
const NO_LIMIT = 0;

const CURSOR_RULE = 'that of the link "next" of the previous page, unchanged, in the same format';

export function batchResultsOperation(ports: BatchResultsPorts): Operation {
  return async (request) => {
    const tenant = tenantOf(request);
    const batchId = readId(request, 'batch_id');
    const query = readQuery(request, ['format', 'cursor'], { format: resultsFormatFormat() });
    const format = readResultsFormat(query.format);
    const scope: CursorScope = { tenant, resource: ['results', batchId, format] };
    const key = await ports.cursorKey();
    const first = readPosition(key, scope, query.cursor);

    const results = await readResults(ports, tenant, batchId);
    if (results === null) throw noResults(resultsExpiredAt(ports, batchId));
    const { baseUrl } = request;
    const pageRequest = { format, first, baseUrl };
    const page = await resultsPage(ports, results, pageRequest);
    const nextUrl =
      page.next === null
        ? null
        : `${baseUrl}${paths.batchResults(batchId)}?format=${format}&cursor=${encodeCursor(key, scope, { first: page.next, limit: NO_LIMIT })}`;
    const text = textOfPage(results, pageRequest, page, nextUrl);
    return revalidatedText(
      request,
      mediaTypeOfPage(pageRequest),
      text,
      headersOf(results, nextUrl),
    );
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

function headersOf({ finished }: BatchResults, nextUrl: string | null) {
  return {
    'Batch-Finished': String(finished),
    ...pollAgain(finished),
    // RFC 8288
    ...(nextUrl === null ? {} : { Link: `<${nextUrl}>; rel="next"` }),
  };
}

export const batchResultsSpecification: OperationSpecification = {
  tag: 'Batches',
  summary: 'Results of a batch',
  description: `The jobs of a batch as one table, in the order of the request: a row for each, whether it is completed, failed or unfinished.

\`geojson\`: a Feature for each job, with its polygon. \`csv\`: the same columns without the polygon (RFC 4180, UTF-8), with \`properties\` as JSON text. Only the first page has the header row, so that the pages one after the other are one file. An apostrophe precedes what a spreadsheet would run as a formula, at the start of a text and after a semicolon, tab or line break in it; tabs and line breaks of \`properties\` are spaces. \`geojson\` has every text as it is. \`stac\`: an ItemCollection with the Item of each result; Items of other jobs have no assets, and \`soil:status\` and \`soil:error_message\` say why.

A page ends by its size. The link \`next\`, in the header \`Link\` and in \`links\`, leads to the next page.`,
  parameters: ['batchId', 'resultsFormat', 'resultsCursor', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'One page of the table as it is now',
    headers: ['Link', 'Batch-Finished', 'Retry-After', 'ETag', 'Cache-Control'],
    content: [
      { mediaType: GEOJSON, schemas: [resultTable, itemCollection] },
      { mediaType: 'text/csv' },
    ],
  },
  problems: ['cursor-invalid', 'batch-not-found', 'results-expired'],
};
