import { checkResponse } from '../http/check-response.ts';
import { parseJson } from '../http/json.ts';
import { notTheServiceError } from '../http/soil-error.ts';
import type { Transport } from '../http/transport.ts';
import { batchPath } from '../http/urls.ts';
import type { BatchResultsQuery, ResultTable } from '../schemas.ts';
import { pageThrough } from './pages.ts';

export interface ResultsOptions {
  /** The default is `geojson`. */
  readonly format?: BatchResultsQuery['format'] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One page of a batch's table. */
export interface ResultsPage {
  /** The page in the requested format. The CSV texts of all pages can be concatenated into one file. */
  readonly text: string;
  /** Whether the batch was finished when the page was read. */
  readonly finished: boolean;
}

type ResultFeature = ResultTable['features'][number];

/** A job's row of the table, and its polygon. */
export type ResultRow = ResultFeature['properties'] & {
  /** Null if the job's polygon is not a Polygon or MultiPolygon in WGS 84 with closed rings. */
  readonly polygon: ResultFeature['geometry'];
};

const MEDIA_TYPES = {
  geojson: 'application/geo+json',
  stac: 'application/geo+json',
  csv: 'text/csv',
} as const;

export function listResultPages(
  transport: Transport,
  batchId: string,
  { format = 'geojson', signal }: ResultsOptions,
): AsyncGenerator<ResultsPage, void, undefined> {
  const path = batchPath(batchId, 'results');
  return pageThrough(async (cursor) => {
    const query = { format, cursor };
    const { headers, text } = await transport.send({ method: 'GET', path, query, signal });
    const type = headers.get('Content-Type') ?? 'unknown';
    if (!type.startsWith(MEDIA_TYPES[format])) {
      throw notTheServiceError(
        `GET ${path}: expected ${MEDIA_TYPES[format]}; the media type of the response is ${type}.`,
      );
    }
    const finished = headers.get('Batch-Finished') === 'true';
    return { items: [{ text, finished }], next: parseNextCursor(headers.get('Link')) };
  });
}

export async function* listResultRows(
  transport: Transport,
  batchId: string,
  signal?: AbortSignal,
): AsyncGenerator<ResultRow, void, undefined> {
  for await (const { text } of listResultPages(transport, batchId, { signal })) {
    const { features } = checkResponse('A page of the results', 'ResultTable', parseJson(text));
    for (const { geometry, properties } of features) yield { ...properties, polygon: geometry };
  }
}

/** The cursor in the `next` link (RFC 8288), the only part that differs from the URL of this request. */
function parseNextCursor(link: string | null): string | undefined {
  const [, query = ''] = /<[^>?]*\?([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '') ?? [];
  return new URLSearchParams(query).get('cursor') ?? undefined;
}
