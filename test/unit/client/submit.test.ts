import { type FeatureCollection, SoilClient } from 'soil-batch-client';
import { expect, it } from 'vitest';
import { jobsOfFeatures } from '../../../client/src/submit/jobs-of-features.ts';
import { scriptedFetch } from '../../support/client/scripted-fetch.ts';

const LIMITS = { jobs_per_batch: 2, body_bytes: 10_000, vertices_per_batch: 1_000 };
const POLYGON = { type: 'Polygon', coordinates: [] };

function fields(...names: readonly unknown[]): FeatureCollection {
  const features = names.map((id) => ({
    type: 'Feature',
    properties: { id },
    geometry: POLYGON,
  }));
  return { type: 'FeatureCollection', features };
}

it('a job has the name, the feature and each year', () => {
  const jobs = jobsOfFeatures(fields('a', 7, null), { year: [2021, 2022], nameField: 'id' });
  expect(jobs.map(({ request }) => [request.name, request.year])).toEqual([
    ['a', 2021],
    ['a', 2022],
    ['7', 2021],
    ['7', 2022],
    [undefined, 2021],
    [undefined, 2022],
  ]);
  expect(jobs[0]?.request.polygon).toEqual({
    type: 'Feature',
    properties: { id: 'a' },
    geometry: POLYGON,
  });
});

it('a polygon may be written in the call', () => {
  const [job] = jobsOfFeatures(
    {
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          id: 'a',
          properties: null,
          geometry: { type: 'Polygon', coordinates: [[[5.7, 50.9]]] },
        },
      ],
    },
    { year: 2021 },
  );
  expect(job?.request.polygon).toMatchObject({ geometry: { coordinates: [[[5.7, 50.9]]] } });
});

it('a CRS that the collection names is kept: the service rejects all but WGS84', () => {
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::28992' } };
  const [job] = jobsOfFeatures({ ...fields('a'), crs }, { year: 2021 });
  expect(job?.request.polygon).toMatchObject({ crs });
});

it.each([
  ['no collection', { type: 'Feature' }, { year: 2021 }, ''],
  ['no features', { type: 'FeatureCollection', features: [] }, { year: 2021 }, '/features'],
  ['null', null, { year: 2021 }, ''],
  [
    'a feature that is null',
    { type: 'FeatureCollection', features: [null] },
    { year: 1 },
    '/features/0',
  ],
  ['no year', fields('a'), { year: [] }, '/year'],
  ['half a year', fields('a'), { year: 2021.5 }, '/year'],
  ['a name field that no feature has', fields('a'), { year: 2021, nameField: 'ID' }, '/features'],
])('rejects %s', (_, collection, options, pointer) => {
  const jobs = () => jobsOfFeatures(collection as FeatureCollection, options);
  expect(jobs).toThrow(expect.objectContaining({ type: 'invalid-input' }));
  expect(jobs).toThrow(expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }));
});

it('the next batch is sent when the last one is recorded; a spent quota ends the call', async () => {
  const created = (id: string) => () =>
    Response.json({ batch_id: id, total_jobs: 2 }, { status: 202 });
  const { fetch, exchanges } = scriptedFetch(
    () => Response.json(LIMITS),
    created('b0'),
    created('b1'),
    () =>
      Response.json(
        { type: 'https://x/docs/problems/quota-exceeded', title: 'The daily quota is exceeded' },
        { status: 429, headers: { 'Retry-After': '3600' } },
      ),
  );
  const client = new SoilClient({ baseUrl: 'https://v2.soil.example', apiKey: 'key', fetch });
  const order: string[] = [];
  const submission = client.submit(fields('a', 'b', 'c', 'd', 'e'), {
    year: 2021,
    runId: 'run',
    onBatch: async ({ batch, chunk }) => {
      order.push(`${batch.id} after ${exchanges.length} requests`);
      expect(chunk.jobs.map(({ featureIndex }) => featureIndex)).toHaveLength(2);
    },
  });
  await expect(submission).rejects.toMatchObject({ type: 'quota-exceeded', retryAfter: 3600 });
  expect(order).toEqual(['b0 after 2 requests', 'b1 after 3 requests']);
});
