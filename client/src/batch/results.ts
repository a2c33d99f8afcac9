import { batchPath } from '../http/paths.ts';
import type { Transport } from '../http/transport.ts';
import type { BatchResultsQuery } from '../schemas.ts';

export interface ResultsOptions {
  /** `geojson` by default. */
  readonly format?: BatchResultsQuery['format'] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One page of the table of a batch. */
export interface ResultsPage {
  /** In the format. The texts of all pages of CSV, one after the other, are one file. */
  readonly text: string;
  /** Whether the batch was finished, so that no row will change. */
  readonly finished: boolean;
}

export async function* resultsOf(
  transport: Transport,
  batchId: string,
  { format = 'geojson', signal }: ResultsOptions,
): AsyncGenerator<ResultsPage, void, undefined> {
  const path = batchPath(batchId, 'results');
  let cursor: string | undefined;
  do {
    const query = { format, cursor };
    const { headers, text } = await transport.send({ method: 'GET', path, query, signal });
    yield { text, finished: headers.get('Batch-Finished') === 'true' };
    cursor = nextCursor(headers.get('Link'));
  } while (cursor !== undefined);
}

/** Of the link `next` (RFC 8288), which leads to the same list: only its cursor is new. */
function nextCursor(link: string | null): string | undefined {
  const [, query = ''] = /<[^>?]*\?([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '') ?? [];
  return new URLSearchParams(query).get('cursor') ?? undefined;
}
