import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/batch/creation-response.ts';
import {
  itemCollection,
  resultTable,
} from '../../../lambdas/api/operations/results/result-collections.ts';
import { problemBody } from '../../../lambdas/api/specification/problem-schema.ts';
import { newBatchId } from '../../../lambdas/domain/identity.ts';
import type { JobSummary } from '../../../lambdas/domain/job/summary-schema.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { parseCsv } from '../csv/parse-csv.ts';
import { COG, completedResult } from './completed-result.ts';
import { BASE_URL, type Call } from './gateway-event.ts';
import { completedJob, failedJob, processingJob } from './job-records.ts';
import { EXACT_TEXTS } from './json-text.ts';
import { inMemoryService, job, LATER, POLYGON, resultsCall } from './service.ts';

async function created(...jobs: readonly string[]) {
  const service = inMemoryService();
  const response = await service.create({ body: `{"jobs":[${jobs.join(',')}]}` });
  expect(response.status).toBe(202);
  const { batch_id: batchId, job_ids } = creationResponse.parse(response.body);
  const results = (format?: string, call: Call = {}) =>
    service.batchResults(
      resultsCall(batchId, { ...call, query: format === undefined ? {} : { format } }),
    );
  return { service, batchId, jobIds: Object.values(job_ids), results };
}

const SUMMARY: JobSummary = {
  area_ha: 12.5,
  predicted_area_ha: 12.25,
  mean: 37.1,
  lower: 30.2,
  upper: 44,
  unit: 'kg/m3',
  level: 0.9,
  method: 'correlated-errors/1',
  stock: { value: 1363.4, lower: 1109.9, upper: 1617, unit: 't' },
};

/** About a square metre, so that a thousand stay within a day's area. */
const SMALL = POLYGON.coordinates.map((ring) =>
  ring.map(([x = 0, y = 0]) => [5.72 + (x - 5.72) / 1e3, 50.96 + (y - 50.96) / 1e3]),
);

const polygon = JSON.stringify(POLYGON);
const jobText = (fields: object = {}) => JSON.stringify(job(fields));
const withPolygon = (text: string) => `{"polygon":${text},"year":2020}`;

/** A completed, a failed, a running and a pending job. */
async function inEachState() {
  const batch = await created(
    jobText({ name: 'Nørth, "field"', properties: { parcel: 'A-17' } }),
    jobText({ name: '=1+1' }),
    jobText(),
    jobText(),
  );
  const { service, batchId } = batch;
  service.jobs.set(`${batchId}/0`, { ...completedJob(0), summary: SUMMARY });
  service.rasters.set(`${batchId}/${batch.jobIds[0]}`, COG);
  service.jobs.set(`${batchId}/1`, failedJob(1));
  service.jobs.set(`${batchId}/2`, processingJob(2));
  return batch;
}

describe.each([{ deployment: 'v1' }, { deployment: 'v2' }])(
  'the results of a batch on %j',
  (variables) => {
    it('are GeoJSON by default, with a Feature for each job', async () => {
      const { batchId, jobIds, results } = await inEachState();
      const { status, headers, body } = await results(undefined, { variables });
      expect(status).toBe(200);
      expect(headers['Content-Type']).toBe('application/geo+json');
      const { features } = resultTable.parse(body);
      expect(features.map(({ id, properties }) => [id, properties.status])).toEqual([
        [jobIds[0], 'completed'],
        [jobIds[1], 'failed'],
        [jobIds[2], 'processing'],
        [jobIds[3], 'pending'],
      ]);
      expect(features[0]).toMatchObject({
        geometry: POLYGON,
        properties: {
          job_index: 0,
          name: 'Nørth, "field"',
          model: 'meuse-soc@1.0.0',
          data_period_start: 1990,
          data_period_end: 1990,
          warning_codes: 'static_model cells_without_data',
          mean: SUMMARY.mean,
          stock_t: SUMMARY.stock?.value,
          completed_at: LATER,
          result_url: `${BASE_URL}/v1/batch/${batchId}/jobs/${jobIds[0]}/result`,
          properties: { parcel: 'A-17' },
        },
      });
      expect(features[1]?.properties).toMatchObject({
        error_code: 'geometry_self_intersection',
        error_message: 'ring 0 crosses itself at vertex 2',
        error_retryable: false,
        result_url: null,
        mean: null,
        properties: null,
      });
    });

    it('have the same columns and values as CSV', async () => {
      const { results } = await inEachState();
      const { headers, text } = await results('csv', { variables });
      expect(headers['Content-Type']).toBe('text/csv; charset=utf-8; header=present');
      const [names = [], ...rows] = parseCsv(text);
      const { features } = resultTable.parse((await results('geojson', { variables })).body);
      expect(rows).toHaveLength(features.length);
      for (const [index, { properties }] of features.entries()) {
        const values = Object.entries(properties).map(([name, value]) => [name, cellOf(value)]);
        const row = names.map((name, column) => [name, rows[index]?.[column]?.replace(/^'=/, '=')]);
        expect(row).toEqual(values);
      }
      expect(text).toContain(",'=1+1,");
    });

    it('state when they expire, and whether the batch is finished', async () => {
      const { service, batchId, results } = await inEachState();
      const stored = service.batches.get(batchId);
      if (stored === undefined) throw new Error('no batch');
      for (const format of ['geojson', 'csv', 'stac']) {
        const { headers } = await results(format, { variables });
        expect(headers).toMatchObject({ 'Batch-Finished': 'false', 'Retry-After': '5' });
      }
      expect((await results()).body).toMatchObject({ finished: false });
      const state = { status: 'partial', startedAt: LATER, completedAt: LATER } as const;
      service.batches.set(batchId, { ...stored, batch: { ...stored.batch, state } });
      for (const format of ['geojson', 'csv', 'stac']) {
        const { headers } = await results(format, { variables });
        expect(headers['Batch-Finished']).toBe('true');
        expect(headers).not.toHaveProperty('Retry-After');
      }
      const { finished, features } = resultTable.parse((await results()).body);
      expect(finished).toBe(true);
      const { resultsExpireAt } = stored.batch;
      expect(features.map((feature) => feature.properties.results_expire_at)).toEqual(
        features.map(() => resultsExpireAt),
      );
    });
  },
);

function cellOf(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

describe('a Feature of the results', () => {
  const ring = '[[5.720,50.96],[5.73,50.96,1.50],[573e-2,50.97],[5.720,50.96]]';

  it.each([
    ['a Polygon', `{"type":"Polygon","coordinates":[${ring}]}`],
    ['a MultiPolygon', `{"type":"MultiPolygon","coordinates":[[${ring}]]}`],
  ])('has the numbers of %s as sent', async (_, geometry) => {
    const feature = `{"type":"Feature","properties":null,"geometry":${geometry}}`;
    const spaced = geometry.replaceAll(',', ' ,\n');
    for (const sent of [geometry, feature, spaced]) {
      const { results } = await created(withPolygon(sent));
      expect((await results()).text).toContain(`"geometry":${geometry},`);
    }
  });

  it('has no foreign fields of the geometry', async () => {
    const { results } = await created(
      withPolygon(`{"crs":{"properties":{"name":"EPSG:4326"}},"at":[1],${polygon.slice(1)}`),
    );
    expect((await results()).text).toContain(`"geometry":${polygon},`);
  });

  it.each(['"high"', 'null', '[1]', '{"z":1}'])(
    'has only numbers in its positions, not the third one %s',
    async (third) => {
      const sent = polygon.replace('[5.73,50.96]', `[5.73,50.96,${third}]`);
      const { results } = await created(withPolygon(sent));
      expect(resultTable.parse((await results()).body).features[0]?.geometry).toEqual(POLYGON);
    },
  );

  it('has a polygon whose rings cross', async () => {
    const crossing = '{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}';
    const { results } = await created(withPolygon(crossing));
    expect((await results()).text).toContain(`"geometry":${crossing},`);
  });

  it.each([
    ['{"type":"Point","coordinates":[1,2]}'],
    ['{"type":"FeatureCollection","features":[]}'],
    ['{"type":"Feature","geometry":null,"properties":null}'],
    ['{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0]]]}'],
    [
      '{"type":"Polygon","coordinates":[[[178000,331000],[178100,331000],[178100,331100],[178000,331000]]]}',
    ],
    [`{"crs":{"properties":{"name":"EPSG:28992"}},${polygon.slice(1)}`],
    ['{}'],
  ])('has no geometry for %s', async (sent) => {
    const { results } = await created(withPolygon(sent));
    expect(resultTable.parse((await results()).body).features[0]?.geometry).toBeNull();
  });

  it.each(EXACT_TEXTS)('has the properties byte for byte: %s', async (_, text) => {
    const { results } = await created(`{"properties":${text},"year":2020,"polygon":${polygon}}`);
    expect((await results()).text).toContain(`"properties":${text}}}]}`);
    const [names = [], row = []] = parseCsv((await results('csv')).text);
    expect(row[names.indexOf('properties')]).toBe(text);
  });
});

describe('the STAC ItemCollection of a batch', () => {
  it('has the Item of each result', async () => {
    const { service, batchId, item } = await completedResult();
    const call = resultsCall(batchId, { query: { format: 'stac' } });
    const { headers, body } = await service.batchResults(call);
    expect(headers['Content-Type']).toBe('application/geo+json');
    expect(itemCollection.parse(body).features).toEqual([(await item()).body]);
  });

  it('has Items without assets for jobs without a result', async () => {
    const { service, batchId, results } = await inEachState();
    service.jobs.set(`${batchId}/0`, failedJob(0));
    const { features } = itemCollection.parse((await results('stac')).body);
    expect(features).toHaveLength(4);
    expect(features[0]).toMatchObject({
      geometry: POLYGON,
      bbox: [5.72, 50.96, 5.73, 50.97],
      properties: {
        'soil:status': 'failed',
        'soil:error_code': 'geometry_self_intersection',
        'soil:properties': { parcel: 'A-17' },
      },
      assets: {},
    });
  });

  it('has the raster of a result whose model is no longer deployed', async () => {
    const { service, batchId, jobId } = await completedResult();
    const model = { id: 'gone@1.0.0', temporal: 'static', dataPeriod: [1990, 1990] } as const;
    service.jobs.set(`${batchId}/0`, { ...completedJob(0), model });
    const call = resultsCall(batchId, { query: { format: 'stac' } });
    const { features } = itemCollection.parse((await service.batchResults(call)).body);
    expect(features[0]?.assets).toMatchObject({
      data: { href: `${BASE_URL}/v1/batch/${batchId}/jobs/${jobId}/result` },
    });
  });
});

describe('the pages of the results', () => {
  /** Follows `Link` as a client does, and checks that every page fits. */
  async function pages(batch: Awaited<ReturnType<typeof created>>, format: string) {
    const responses: Awaited<ReturnType<typeof batch.results>>[] = [];
    let query: Record<string, string> = { format };
    for (;;) {
      const response = await batch.service.batchResults(resultsCall(batch.batchId, { query }));
      expect(response.status).toBe(200);
      expect(Buffer.byteLength(JSON.stringify(response.text))).toBeLessThan(6_000_000);
      responses.push(response);
      const link = response.headers['Link'];
      if (link === undefined) return responses;
      const [, target = ''] = /^<(.+)>; rel="next"$/.exec(String(link)) ?? [];
      expect(target.startsWith(`${BASE_URL}/v1/batch/${batch.batchId}/results?`)).toBe(true);
      query = Object.fromEntries(new URL(target).searchParams);
    }
  }

  /** As many jobs as a batch may have, each with as much as it may have. */
  async function largest() {
    const small = JSON.stringify({ type: 'Polygon', coordinates: SMALL });
    const properties = `{"a":"${'\\"'.repeat((LIMITS.propertiesBytes - 8) / 2)}"}`;
    const text = `{"name":"${'\\u0001'.repeat(LIMITS.nameCharacters)}","properties":${properties},"year":2020,"polygon":${small}}`;
    const batch = await created(...Array.from({ length: LIMITS.jobsPerBatch }, () => text));
    const message = 'x'.repeat(300);
    for (let index = 0; index < LIMITS.jobsPerBatch; index++) {
      const failed = failedJob(index);
      const warnings = Array.from(
        { length: 3 },
        () => ({ code: 'static_model', message }) as const,
      );
      batch.service.jobs.set(`${batch.batchId}/${index}`, { ...failed, warnings });
    }
    return batch;
  }

  it.each(['geojson', 'csv', 'stac'])('hold every job once, in order, as %s', async (format) => {
    const batch = await largest();
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

  it('have one header row, on the first page of CSV', async () => {
    const responses = await pages(await largest(), 'csv');
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

  it('name the next page in `links` too', async () => {
    const [first, ...rest] = await pages(await largest(), 'geojson');
    const { links } = resultTable.parse(first?.body);
    expect(String(first?.headers['Link'])).toBe(`<${links[0]?.href}>; rel="next"`);
    expect(resultTable.parse(rest.at(-1)?.body).links).toEqual([]);
  });

  it('fit, if one job is as large as a request may be', async () => {
    const spaces = '\n'.repeat(1_000_000);
    const digits = '0'.repeat(2_900_000);
    const long = polygon.replace('[5.73,50.96]', `[5.73,${spaces}50.96${digits}]`);
    const batch = await created(withPolygon(long), jobText());
    for (const format of ['geojson', 'csv', 'stac']) await pages(batch, format);
  });

  it('reject a cursor of another format, batch or operation', async () => {
    const batch = await largest();
    const link = String((await batch.results('csv')).headers['Link']);
    const cursor = /cursor=([\w-]+)/.exec(link)?.[1] ?? '';
    const otherId = newBatchId(new Date());
    const { batches, requests } = batch.service;
    const [stored, request] = [batches.get(batch.batchId), requests.get(batch.batchId)];
    if (stored === undefined || request === undefined) throw new Error('no batch');
    batches.set(otherId, { ...stored, batch: { ...stored.batch, batchId: otherId } });
    requests.set(otherId, request);
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

  it('reject any text that is no cursor', async () => {
    const batch = await created(jobText());
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (cursor) => {
        const call = resultsCall(batch.batchId, { query: { cursor } });
        expect((await batch.service.batchResults(call)).status).toBe(400);
      }),
    );
  });
});

describe('a request for results', () => {
  it('names the formats if it wants another', async () => {
    const { results } = await created(jobText());
    const { status, body } = await results('shp');
    expect(status).toBe(400);
    expect(problemBody.parse(body).errors).toEqual([
      { pointer: '/format', message: 'must be geojson, csv or stac; got "shp"' },
    ]);
  });

  it('gets 304 while nothing changed, and the body of no HEAD', async () => {
    const { service, batchId, results } = await inEachState();
    for (const format of ['geojson', 'csv']) {
      const { headers } = await results(format);
      expect(headers['Cache-Control']).toBe('private, no-cache');
      const again = { headers: { 'If-None-Match': String(headers['ETag']) } };
      expect(await results(format, again)).toMatchObject({ status: 304, text: '' });
      const head = await results(format, { method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, text: '', headers: { ETag: headers['ETag'] } });
      service.jobs.set(`${batchId}/3`, processingJob(3));
      expect((await results(format, again)).status).toBe(200);
      service.jobs.delete(`${batchId}/3`);
    }
  });
});
