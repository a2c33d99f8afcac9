import type { Feature, MultiPolygon, Polygon } from 'geojson';
import createClient from 'openapi-fetch';
// openapi-typescript generates schema.ts.
import type { components, paths } from './schema.ts';

type Schemas = components['schemas'];

declare const process: { readonly argv: readonly string[] };
declare const console: { log(text: string): void };

const [, , baseUrl = '', apiKey = ''] = process.argv;
const client = createClient<paths>({
  baseUrl,
  headers: { Authorization: `Bearer ${apiKey}` },
});

const polygon: Polygon = {
  type: 'Polygon',
  coordinates: [
    [
      [5.74, 50.97],
      [5.742, 50.97],
      [5.742, 50.971],
      [5.74, 50.971],
      [5.74, 50.97],
    ],
  ],
};
const multiPolygon: MultiPolygon = { type: 'MultiPolygon', coordinates: [polygon.coordinates] };
const feature: Feature<Polygon> = {
  type: 'Feature',
  id: 'field-7',
  properties: { crop: 'maize' },
  geometry: polygon,
};
const elsewhere: Polygon = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [0.001, 0],
      [0.001, 0.001],
      [0, 0.001],
      [0, 0],
    ],
  ],
};

const order: Schemas['CreateBatch'] = {
  jobs: [polygon, multiPolygon, feature, elsewhere].map((each) => ({ polygon: each, year: 2024 })),
  metadata: { client: 'openapi-fetch' },
};

function bodyOf<Body>({ data, error }: { data?: Body; error?: Schemas['Problem'] }): Body {
  if (data !== undefined) return data;
  throw new Error(error === undefined ? 'no body' : `${error.title}: ${error.detail}`);
}

async function finished(batchId: string): Promise<Schemas['BatchStatus']> {
  for (;;) {
    const batch = bodyOf(
      await client.GET('/v1/batch/{batch_id}/status', {
        params: { path: { batch_id: batchId } },
      }),
    );
    const state: Schemas['BatchState'] = batch.status;
    if (state !== 'pending' && state !== 'processing') return batch;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const created = bodyOf(await client.POST('/v1/batch', { body: order }));
const batch = await finished(created.batch_id);
const [first] = batch.jobs;
if (first === undefined) throw new Error('the batch has no jobs');

const { models } = bodyOf(await client.GET('/v1/models'));
const coverage: Polygon | MultiPolygon | undefined = models[0]?.coverage;

const { error: problem, response } = await client.POST('/v1/batch', { body: { jobs: [] } });

const list = bodyOf(await client.GET('/v1/batch', { params: { query: { status: 'partial' } } }));

const path = { batch_id: batch.batch_id, job_id: first.job_id };
const detail: Schemas['JobDetail'] = bodyOf(
  await client.GET('/v1/batch/{batch_id}/jobs/{job_id}/status', { params: { path } }),
);
const raster = await fetch(first.signed_cog_url ?? '');
const start = new Uint8Array(await raster.arrayBuffer()).subarray(0, 2);

console.log(
  JSON.stringify({
    status: batch.status,
    jobs: batch.jobs.map(({ name, status, error_code }) => ({ name, status, error_code })),
    data_period: first.data_period,
    patch_batches: detail.patch_batches.length,
    result_starts_as: new TextDecoder().decode(start),
    coverage: coverage?.type,
    problem: [response.status, problem?.errors?.[0]?.pointer],
    finished_after_creation: Date.parse(batch.completed_at ?? '') > Date.parse(batch.created_at),
    listed: list.batches.some(({ batch_id }) => batch_id === batch.batch_id),
  }),
);
