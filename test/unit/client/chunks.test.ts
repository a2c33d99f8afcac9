import { expect, it } from 'vitest';
import { chunksOf, type SplitLimits } from '../../../client/src/submit/chunks.ts';
import { jobsOfFeatures } from '../../../client/src/submit/jobs-of-features.ts';

const ROOM: SplitLimits = {
  jobs_per_batch: 1000,
  body_bytes: 4_000_000,
  vertices_per_batch: 170_000,
};

function fields(count: number) {
  const square = {
    type: 'Polygon',
    coordinates: [
      [
        [5, 50],
        [6, 50],
        [6, 51],
        [5, 50],
      ],
    ],
  };
  const features = Array.from({ length: count }, (_, index) => ({
    type: 'Feature',
    properties: { id: `Äcker ${index}` },
    geometry: square,
  }));
  return { type: 'FeatureCollection', features };
}

async function chunks(count: number, limits: Partial<SplitLimits>, batch = {}) {
  const jobs = jobsOfFeatures(fields(count), { year: 2021, nameField: 'id' });
  return chunksOf(jobs, { ...ROOM, ...limits }, batch, 'run');
}

const sizes = (list: Awaited<ReturnType<typeof chunks>>) => list.map(({ jobs }) => jobs.length);

it('2,500 fields become three batches, in order', async () => {
  const list = await chunks(2_500, {});
  expect(sizes(list)).toEqual([1000, 1000, 500]);
  expect(list[2]?.jobs[0]).toEqual({ featureIndex: 2_000, year: 2021 });
  expect(JSON.parse(list[2]?.body ?? '').jobs[0]).toMatchObject({ name: 'Äcker 2000', year: 2021 });
  expect(new Set(list.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
});

it('splits by vertices', async () => {
  expect(sizes(await chunks(10, { vertices_per_batch: 19 }))).toEqual([4, 4, 2]);
});

it('fills a request to the byte, the other fields included', async () => {
  const batch = { name: 'Äcker', metadata: { order: 1 } };
  const [whole] = await chunks(9, {}, batch);
  const bytes = Buffer.byteLength(whole?.body ?? '');
  expect(JSON.parse(whole?.body ?? '')).toMatchObject(batch);
  // One comma less than there are jobs.
  expect(sizes(await chunks(9, { body_bytes: bytes + 1 }, batch))).toEqual([9]);
  const list = await chunks(9, { body_bytes: bytes - 1 }, batch);
  expect(sizes(list)).toEqual([8, 1]);
  for (const { body } of list) expect(Buffer.byteLength(body)).toBeLessThan(bytes);
});

it('rejects a field that no request has room for, before anything is sent', async () => {
  await expect(chunks(2, { vertices_per_batch: 3 })).rejects.toMatchObject({
    type: 'invalid-input',
    errors: [{ pointer: '/features/0', message: 'has 4 vertices; at most 3 are allowed' }],
  });
  await expect(chunks(2, { body_bytes: 100 })).rejects.toThrow(/at most 100 are allowed/);
});

it('gives a crashed run the same keys and another run others', async () => {
  const keys = async (run: string) => {
    const jobs = jobsOfFeatures(fields(3), { year: [2021, 2022] });
    const list = await chunksOf(jobs, { ...ROOM, jobs_per_batch: 2 }, {}, run);
    return list.map(({ idempotencyKey }) => idempotencyKey);
  };
  expect(await keys('a')).toEqual(await keys('a'));
  expect(new Set([...(await keys('a')), ...(await keys('b'))]).size).toBe(6);
  expect((await keys('a'))[0]).toMatch(/^[0-9a-f]{64}$/);
});
