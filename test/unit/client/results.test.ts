import { SoilClient } from 'soil-batch-client';
import { describe, expect, it } from 'vitest';
import { scriptedFetch } from '../../support/client/scripted-fetch.ts';

const HREF = 'https://v2.soil.example/v1/batch/b/results?format=csv&cursor=';

function page(text: string, type: string, next?: string, finished = 'true'): () => Response {
  const link = next === undefined ? {} : { Link: `<${HREF}${next}>; rel="next"; type="${type}"` };
  const headers = { 'Content-Type': type, 'Batch-Finished': finished, ...link };
  return () => new Response(text, { headers });
}

function batchOver(...responses: readonly (() => Response)[]) {
  const { fetch, exchanges } = scriptedFetch(...responses);
  const client = new SoilClient({ baseUrl: 'https://v2.soil.example', apiKey: 'key', fetch });
  return { batch: client.batch('b'), exchanges };
}

describe('the table of a batch', () => {
  it('is read page by page, by the cursor of the link', async () => {
    const { batch, exchanges } = batchOver(
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

  it('is read by rows', async () => {
    const rows = (...ids: readonly string[]) =>
      JSON.stringify({
        type: 'FeatureCollection',
        features: ids.map((job_id) => ({ geometry: null, properties: { job_id } })),
      });
    const { batch } = batchOver(
      page(rows('j0', 'j1'), 'application/geo+json', 'c1'),
      page(rows('j2'), 'application/geo+json'),
    );
    const ids: string[] = [];
    for await (const { job_id } of batch.rows()) ids.push(job_id);
    expect(ids).toEqual(['j0', 'j1', 'j2']);
  });

  it.each([
    ['a page of a proxy', page('<html>', 'text/html')],
    ['JSON that is no table', page('[]', 'application/geo+json')],
  ])('is not taken from %s', async (_, response) => {
    await expect(batchOver(response).batch.rows().next()).rejects.toMatchObject({
      type: 'not-the-service',
    });
  });

  it('ends when a link leads back to its own page', async () => {
    const { batch } = batchOver(page('', 'text/csv', 'c1'), page('', 'text/csv', 'c1'));
    const pages = batch.results({ format: 'csv' });
    await pages.next();
    await pages.next();
    await expect(pages.next()).rejects.toMatchObject({ type: 'not-the-service' });
  });
});
