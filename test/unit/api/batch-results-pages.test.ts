import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resultTable } from '../../../lambdas/api/operations/result-table.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { newBatchId } from '../../../lambdas/domain/identity.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { createBatchOf, jobText } from '../../support/api/batch-with-results.ts';
import { BASE_URL } from '../../support/api/gateway-event.ts';
import { failedJob } from '../../support/api/job-records.ts';
import { POLYGON, resultsCall } from '../../support/api/service.ts';
import { copyRequest } from '../../support/api/written-stores.ts';
import { parseCsv } from '../../support/client/parse-csv.ts';

/** About a square metre, so that a thousand such fields stay within a day's area quota. */
const SMALL = POLYGON.coordinates.map((ring) =>
  ring.map(([x = 0, y = 0]) => [5.72 + (x - 5.72) / 1e3, 50.96 + (y - 50.96) / 1e3]),
);

const polygon = JSON.stringify(POLYGON);
const makeJobText = (text: string) => `{"polygon":${text},"year":2020}`;

describe('the pages of the results', () => {
  async function pages(batch: Awaited<ReturnType<typeof createBatchOf>>, format: string) {
    const responses: Awaited<ReturnType<typeof batch.results>>[] = [];
    let query: Record<string, string> = { format };
    for (;;) {
      const response = await batch.service.batchResults(resultsCall(batch.batchId, { query }));
      expect(response.status).toBe(200);
      expect(Buffer.byteLength(JSON.stringify(response.text))).toBeLessThan(6_000_000);
      responses.push(response);
      const link = response.headers['Link'];
      if (link === undefined) return responses;
      expect(responses.length, 'no page after the last job').toBeLessThan(100);
      const [, target = ''] = /^<(.+)>; rel="next"$/.exec(String(link)) ?? [];
      expect(target.startsWith(`${BASE_URL}/v1/batch/${batch.batchId}/results?`)).toBe(true);
      query = Object.fromEntries(new URL(target).searchParams);
    }
  }

  /** Makes a batch of failed jobs, each with the longest name and properties and with long warnings. */
  async function makeLargestBatch(jobs: number = LIMITS.jobsPerBatch) {
    const small = JSON.stringify({ type: 'Polygon', coordinates: SMALL });
    const properties = `{"a":"${'\\"'.repeat((LIMITS.propertiesBytes - 8) / 2)}"}`;
    const text = `{"name":"${'\\u0001'.repeat(LIMITS.nameCharacters)}","properties":${properties},"year":2020,"polygon":${small}}`;
    const batch = await createBatchOf(...Array.from({ length: jobs }, () => text));
    const message = 'x'.repeat(300);
    for (let index = 0; index < jobs; index++) {
      const failed = failedJob(index);
      const warnings = Array.from(
        { length: 3 },
        () => ({ code: 'static_model', message }) as const,
      );
      await batch.service.storeJob(batch.batchId, { ...failed, warnings });
    }
    return batch;
  }
  const severalPages = () => makeLargestBatch(700);

  it.each(['geojson', 'csv', 'stac'])('contain every job once, in order, as %s', async (format) => {
    const batch = await makeLargestBatch();
    const responses = await pages(batch, format);
    expect(responses.length).toBeGreaterThan(1);
    const ids =
      format === 'csv'
        ? parseCsv(responses.map(({ text }) => text).join(''))
            .slice(1)
            .map(([, id]) => id)
        : responses.flatMap(({ body }) =>
            Object(body).features.map(({ id }: { id: string }) => id),
          );
    expect(ids).toEqual(batch.jobIds);
  });

  it('have a header row only on the first page of CSV', async () => {
    const responses = await pages(await severalPages(), 'csv');
    const types = responses.map(({ headers }) => headers['Content-Type']);
    expect(types.map((type) => String(type).split('=').at(-1))).toEqual(
      responses.map((_, index) => (index === 0 ? 'present' : 'absent')),
    );
    expect(
      responses
        .map(({ text }) => text)
        .join('')
        .match(/job_index,/g),
    ).toHaveLength(1);
  });

  it('also name the next page in `links` and `next_cursor`', async () => {
    const [first, ...rest] = await pages(await severalPages(), 'geojson');
    expect(rest.length).toBeGreaterThan(0);
    const { links, next_cursor } = resultTable.parse(first?.body);
    expect(new URL(`${links[0]?.href}`).searchParams.get('cursor')).toBe(next_cursor);
    expect(String(first?.headers['Link'])).toBe(`<${links[0]?.href}>; rel="next"`);
    expect(resultTable.parse(rest.at(-1)?.body)).toMatchObject({ links: [], next_cursor: null });
  });

  it('fit in a response even if one job is as large as a request may be', async () => {
    const spaces = '\n'.repeat(1_000_000);
    const digits = '0'.repeat(2_900_000);
    const long = polygon.replace('[5.73,50.96]', `[5.73,${spaces}50.96${digits}]`);
    const batch = await createBatchOf(makeJobText(long), jobText());
    for (const format of ['geojson', 'csv', 'stac']) await pages(batch, format);
  });

  it('are not returned for a cursor that was changed, or is for another format, batch or tenant', async () => {
    const batch = await severalPages();
    const link = String((await batch.results('csv')).headers['Link']);
    const cursor = /cursor=([\w-]+)/.exec(link)?.[1] ?? '';
    const otherId = newBatchId(new Date());
    const stored = await batch.service.storedBatch(batch.batchId);
    await batch.service.storeBatch({ ...stored.batch, batch_id: otherId });
    copyRequest(batch.service, batch.batchId, otherId);
    for (const call of [
      resultsCall(batch.batchId, { query: { format: 'geojson', cursor } }),
      resultsCall(batch.batchId, { query: { format: 'stac', cursor } }),
      resultsCall(batch.batchId, { query: { cursor } }),
      resultsCall(otherId, { query: { format: 'csv', cursor } }),
      resultsCall(batch.batchId, { query: { format: 'csv', cursor: `${cursor}A` } }),
      resultsCall(batch.batchId, { query: { format: 'csv', cursor }, tenant: 'beta' }),
    ]) {
      const { status, body } = await batch.service.batchResults(call);
      expect(status).toBe(400);
      expect(problemBody.parse(body)).toMatchObject({
        type: expect.stringContaining('cursor-invalid'),
        errors: [{ pointer: '/cursor' }],
      });
    }
  });

  it('are not returned for text that is not a cursor', async () => {
    const batch = await createBatchOf(jobText());
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (cursor) => {
        const call = resultsCall(batch.batchId, { query: { cursor } });
        expect((await batch.service.batchResults(call)).status).toBe(400);
      }),
    );
  });
});
