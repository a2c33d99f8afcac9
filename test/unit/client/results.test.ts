import { SoilClient } from 'soil-batch-client';
import { describe, expect, it } from 'vitest';
import { resultTable } from '../../../lambdas/api/operations/result-table.ts';
import { batchInEachState } from '../../support/api/batch-with-results.ts';
import { scriptedFetch } from '../../support/client/scripted-fetch.ts';

const HREF = 'https://v2.soil.example/v1/batch/b/results?format=csv&cursor=';

function page(text: string, type: string, next?: string, finished = 'true'): () => Response {
  const link = next === undefined ? {} : { Link: `<${HREF}${next}>; rel="next"; type="${type}"` };
  const headers = { 'Content-Type': type, 'Batch-Finished': finished, ...link };
  return () => new Response(text, { headers });
}

function makeBatch(...responses: readonly (() => Response)[]) {
  const { fetch, exchanges } = scriptedFetch(...responses);
  const client = new SoilClient({ baseUrl: 'https://v2.soil.example', apiKey: 'key', fetch });
  return { batch: client.batch('b'), exchanges };
}

describe('the table of a batch', () => {
  it('is read page by page, following the cursor in the link', async () => {
    const { batch, exchanges } = makeBatch(
      page('a,b\n1,2\n', 'text/csv; charset=utf-8; header=present', 'c%2B1', 'false'),
      page('3,4\n', 'text/csv; charset=utf-8; header=absent'),
    );
    const pages: object[] = [];
    for await (const one of batch.results({ format: 'csv' })) pages.push(one);
    expect(pages).toEqual([
      { text: 'a,b\n1,2\n', finished: false },
      { text: '3,4\n', finished: true },
    ]);
    expect(exchanges.map(({ url }) => url.search)).toEqual([
      '?format=csv',
      '?format=csv&cursor=c%2B1',
    ]);
  });

  it('is read row by row', async () => {
    const { results } = await batchInEachState();
    const { body } = await results();
    const { features } = resultTable.parse(body);
    const text = JSON.stringify(body);
    const { batch } = makeBatch(
      page(text, 'application/geo+json', 'c1'),
      page(text, 'application/geo+json'),
    );
    const rows: object[] = [];
    for await (const row of batch.rows()) rows.push(row);
    const expected = features.map(({ geometry, properties }) => ({
      ...properties,
      polygon: geometry,
    }));
    expect(rows).toEqual([...expected, ...expected]);
  });

  it.each([
    ["a proxy's page", page('<html>', 'text/html')],
    ['JSON that is not a table', page('[]', 'application/geo+json')],
  ])('is rejected if the response is %s', async (_, response) => {
    await expect(makeBatch(response).batch.rows().next()).rejects.toMatchObject({
      type: 'not-the-service',
    });
  });

  it('ends with an error when a link leads back to the same page', async () => {
    const { batch } = makeBatch(page('', 'text/csv', 'c1'), page('', 'text/csv', 'c1'));
    const pages = batch.results({ format: 'csv' });
    await pages.next();
    await pages.next();
    await expect(pages.next()).rejects.toMatchObject({ type: 'not-the-service' });
  });
});
