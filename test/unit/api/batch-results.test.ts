import { describe, expect, it } from 'vitest';
import { itemCollection, resultTable } from '../../../lambdas/api/operations/result-table.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import {
  batchInEachState,
  createBatchOf,
  jobText,
  SUMMARY,
} from '../../support/api/batch-with-results.ts';
import { completedResult } from '../../support/api/completed-result.ts';
import { BASE_URL } from '../../support/api/gateway-event.ts';
import { completedJob, failedJob, processingJob } from '../../support/api/job-records.ts';
import { LATER, POLYGON, resultsCall } from '../../support/api/service.ts';
import { parseCsv } from '../../support/client/parse-csv.ts';
import { PACK_SHA256 } from '../../support/domain/builders.ts';

const polygon = JSON.stringify(POLYGON);
const withPolygon = (text: string) => `{"polygon":${text},"year":2020}`;

describe.each([{ deployment: 'v1' }, { deployment: 'v2' }])(
  'the results of a batch on %j',
  (variables) => {
    it('are GeoJSON by default, with a Feature for each job', async () => {
      const { batchId, jobIds, results } = await batchInEachState();
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
          name: 'Zürich, "field"',
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

    it('have the same columns and values in CSV as in GeoJSON', async () => {
      const { results } = await batchInEachState();
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
      const { service, batchId, results } = await batchInEachState();
      for (const format of ['geojson', 'csv', 'stac']) {
        const { headers } = await results(format, { variables });
        expect(headers).toMatchObject({ 'Batch-Finished': 'false', 'Retry-After': '5' });
      }
      expect((await results()).body).toMatchObject({ finished: false });
      await service.changeBatch(batchId, {
        status: 'partial',
        started_at: LATER,
        completed_at: LATER,
        completed_jobs: 1,
      });
      for (const format of ['geojson', 'csv', 'stac']) {
        const { headers } = await results(format, { variables });
        expect(headers['Batch-Finished']).toBe('true');
        expect(headers).not.toHaveProperty('Retry-After');
      }
      const { finished, features } = resultTable.parse((await results()).body);
      expect(finished).toBe(true);
      const { results_expire_at } = (await service.storedBatch(batchId)).batch;
      expect(features.map((feature) => feature.properties.results_expire_at)).toEqual(
        features.map(() => results_expire_at),
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
  const numbers = '[[5.72,50.96],[5.73,50.96],[5.73,50.97],[5.72,50.96]]';

  it.each([
    ['a Polygon', `{"type":"Polygon","coordinates":[${ring}]}`],
    ['a MultiPolygon with one polygon', `{"type":"MultiPolygon","coordinates":[[${ring}]]}`],
  ])('keeps the rings of %s as its geometry', async (_, geometry) => {
    const feature = `{"type":"Feature","properties":null,"geometry":${geometry}}`;
    for (const sent of [geometry, feature]) {
      const { results } = await createBatchOf(withPolygon(sent));
      const polygon = `{"type":"Polygon","coordinates":[${numbers}]}`;
      expect((await results()).text).toContain(`"geometry":${polygon},`);
    }
  });

  it('omits foreign members of the geometry', async () => {
    const { results } = await createBatchOf(
      withPolygon(`{"crs":{"properties":{"name":"EPSG:4326"}},"at":[1],${polygon.slice(1)}`),
    );
    expect((await results()).text).toContain(`"geometry":${polygon},`);
  });

  it.each(['"high"', 'null'])(
    'has only numbers in its positions, without the third value %s',
    async (third) => {
      const sent = polygon.replace('[5.73,50.96]', `[5.73,50.96,${third}]`);
      const { results } = await createBatchOf(withPolygon(sent));
      expect(resultTable.parse((await results()).body).features[0]?.geometry).toEqual(POLYGON);
    },
  );

  it('keeps a polygon whose ring crosses itself', async () => {
    const crossing = '{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}';
    const { results } = await createBatchOf(withPolygon(crossing));
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
  ])('has a null geometry for %s', async (sent) => {
    const { results } = await createBatchOf(withPolygon(sent));
    expect(resultTable.parse((await results()).body).features[0]?.geometry).toBeNull();
  });

  it('has the job’s properties; in CSV, they are JSON in one cell', async () => {
    const sent = '{ "b":1.0,\n"a":"x\\ty","__proto__":{"c":[]}}';
    const { results } = await createBatchOf(
      `{"properties":${sent},"year":2020,"polygon":${polygon}}`,
    );
    const text = '{"b":1,"a":"x\\ty","__proto__":{"c":[]}}';
    expect((await results()).text).toContain(`"properties":${text}}}]}`);
    const [names = [], row = []] = parseCsv((await results('csv')).text);
    expect(row[names.indexOf('properties')]).toBe(text);
  });
});

describe('the STAC ItemCollection of a batch', () => {
  it('contains the Item of each result', async () => {
    const { service, batchId, item } = await completedResult();
    const call = resultsCall(batchId, { query: { format: 'stac' } });
    const { headers, body } = await service.batchResults(call);
    expect(headers['Content-Type']).toBe('application/geo+json');
    expect(itemCollection.parse(body).features).toEqual([(await item()).body]);
  });

  it('contains an Item without assets for a failed job', async () => {
    const { service, batchId, results } = await batchInEachState();
    await service.storeJob(batchId, failedJob(0));
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

  it('contains the raster of a result whose model is no longer deployed', async () => {
    const { service, batchId, jobId } = await completedResult();
    const model = {
      id: 'gone@1.0.0',
      temporal: 'static',
      data_period: [1990, 1990],
      sha256: PACK_SHA256,
    } as const;
    await service.storeJob(batchId, { ...completedJob(0), model });
    const call = resultsCall(batchId, { query: { format: 'stac' } });
    const { features } = itemCollection.parse((await service.batchResults(call)).body);
    expect(features[0]?.assets).toMatchObject({
      data: { href: `${BASE_URL}/v1/batch/${batchId}/jobs/${jobId}/result` },
    });
  });
});

describe('a request for results', () => {
  it('is rejected with a list of the valid formats if it names another format', async () => {
    const { results } = await createBatchOf(jobText());
    const { status, body } = await results('shp');
    expect(status).toBe(400);
    expect(problemBody.parse(body).errors).toEqual([
      { pointer: '/format', message: 'must be geojson, csv or stac; got "shp"' },
    ]);
  });

  it('gets 304 while nothing has changed, and no body if its method is HEAD', async () => {
    const { service, batchId, results } = await batchInEachState();
    for (const format of ['geojson', 'csv']) {
      const { headers } = await results(format);
      expect(headers['Cache-Control']).toBe('private, no-cache');
      const again = { headers: { 'If-None-Match': String(headers['ETag']) } };
      expect(await results(format, again)).toMatchObject({ status: 304, text: '' });
      const head = await results(format, { method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, text: '', headers: { ETag: headers['ETag'] } });
      await service.storeJob(batchId, processingJob(3));
      expect((await results(format, again)).status).toBe(200);
      await service.removeJob(batchId, 3);
    }
  });
});
