import { type RetentionPorts, resultsExpiredAt } from '../../domain/batch/owned-batch.ts';
import {
  type BatchResults,
  type ReadResultsPorts,
  readResults,
} from '../../domain/batch/read-results.ts';
import {
  type CursorKey,
  type CursorScope,
  decodeCursor,
  encodeCursor,
} from '../../domain/cursor.ts';
import { LIMITS } from '../../domain/limits.ts';
import { GEOJSON } from '../../results/formats.ts';
import {
  type NextPage,
  pageMediaType,
  resultsPage,
  writePage,
} from '../../results/results-page.ts';
import type { ItemPorts } from '../../results/stac-item.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { noResults } from '../http/not-found.ts';
import { cursorProblem, knownResultsFormat, readResultsFormat } from '../http/parameters.ts';
import { readId, readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { pollAgain, revalidatedText } from '../http/response.ts';
import { formatPath } from '../routes.ts';
import { rasterUnavailable } from './result.ts';
import { itemCollection, resultTable } from './result-table.ts';

export const batchResultsDefinition = {
  operationId: 'getBatchResults',
  tag: 'Batches',
  summary: 'Results of a batch',
  description: `The jobs of a batch as one table with a row for each job, in the order of the request, whether it is completed, failed or unfinished.

\`geojson\`: a Feature for each job, with its polygon as the geometry and the columns as properties. \`csv\`: the same columns without the polygon (RFC 4180, UTF-8), with \`properties\` as JSON text. Only the first page has the header row, so that the concatenated pages form one file. An apostrophe is inserted before text that a spreadsheet would run as a formula, at the start of a value and after a semicolon, tab or line break in it. \`geojson\` returns all text unchanged. \`stac\`: an ItemCollection with an Item for each job. Items of jobs without a result have no assets; their \`soil:status\` and \`soil:error_message\` say why.

Pages are limited by size, not by number of rows; with \`stac\`, a page also has at most ${LIMITS.resultsPage.items} Items. The link \`next\`, in the header \`Link\` and in \`links\`, leads to the next page.`,
  parameters: ['batchId', 'resultsFormat', 'resultsCursor', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'One page of the table in its current state',
    headers: ['Link', 'Batch-Finished', 'Retry-After', 'ETag', 'Cache-Control'],
    content: [
      { mediaType: GEOJSON, schemas: [resultTable, itemCollection] },
      { mediaType: 'text/csv' },
    ],
  },
  problems: ['cursor-invalid', 'batch-not-found', 'results-expired'],
} as const satisfies OperationDefinition;

export type BatchResultsPorts = ReadResultsPorts & RetentionPorts & ItemPorts & CursorKey;

/** The cursors of this list contain 0 instead of a page size, because clients cannot choose one. */
const NO_LIMIT = 0;

const CURSOR_RULE =
  'the `next_cursor` of the previous page, or the cursor of its link "next", unchanged, for the same `format`';

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
    const page = await resultsPage(ports, results, pageRequest).catch(rasterUnavailable);
    const nextPage = (position: number): NextPage => {
      const cursor = encodeCursor(key, scope, { first: position, limit: NO_LIMIT });
      const path = formatPath('batch-results', { batch_id: batchId });
      return { cursor, url: `${baseUrl}${path}?format=${format}&cursor=${cursor}` };
    };
    const next = page.next === null ? null : nextPage(page.next);
    const text = writePage(results, pageRequest, page, next);
    return revalidatedText(request, pageMediaType(pageRequest), text, headersOf(results, next));
  };
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
    // RFC 8288 defines this header.
    ...(next === null ? {} : { Link: `<${next.url}>; rel="next"` }),
  };
}
