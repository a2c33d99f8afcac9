import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAX_VIOLATIONS, violationsProblem } from '../../../lambdas/api/http/problem.ts';
import { readFieldSpans } from '../../../lambdas/api/http/violations.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import {
  CREATION_PER_UNIT,
  computeWeight,
} from '../../../lambdas/domain/admission/request-rate.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { creationBody, inMemoryService, job } from '../../support/api/service.ts';

const makeUnusedCatalogue = () => Promise.reject(new Error('a polygon was checked'));

/** A ring that zigzags between two longitudes, so that its edges overlap in longitude. */
function zigzag(vertices: number): readonly (readonly number[])[] {
  const teeth = Array.from({ length: vertices - 1 }, (_, i) => [i % 2, i / 100]);
  return [...teeth, [-1, 0], [0, 0]];
}

const withVertices = (jobs: number, vertices: number) =>
  creationBody({
    jobs: Array.from({ length: jobs }, () =>
      job({ polygon: { type: 'Polygon', coordinates: [zigzag(vertices)] } }),
    ),
  });

const fields = (count: number) =>
  Array.from({ length: count }, (_, i) => `"${i.toString(36)}":1`).join(',');

describe('a body with more vertices than a batch may have', () => {
  it('is rejected by creation and estimate before any polygon is validated', async () => {
    const body = withVertices(171, 998);
    const service = inMemoryService({ catalogue: makeUnusedCatalogue });
    const response = await service.create({
      body: gzipSync(body),
      headers: { 'Content-Encoding': 'gzip' },
    });
    expect(response.status).toBe(422);
    expect(problemBody.parse(response.body).errors).toEqual([
      {
        pointer: '/jobs',
        message: `may have at most ${LIMITS.verticesPerBatch} vertices in all polygons together; got 170658. Simplify the polygons, or send the jobs in several batches`,
      },
    ]);
    expect(service.writes.count).toBe(0);
    expect((await service.estimate({ body })).status).toBe(422);
  });

  it('is rejected even if the vertices over the limit are empty positions', async () => {
    const part = (vertices: number) => [zigzag(vertices)];
    const whole = Math.floor(LIMITS.verticesPerBatch / LIMITS.verticesPerJob);
    const jobs = Array.from({ length: whole }, () =>
      job({ polygon: { type: 'Polygon', coordinates: part(LIMITS.verticesPerJob) } }),
    );
    const service = inMemoryService();
    expect(whole * LIMITS.verticesPerJob).toBe(LIMITS.verticesPerBatch);
    expect((await service.create({ body: creationBody({ jobs }) })).status).toBe(202);
    const feature = {
      type: 'Feature',
      geometry: { type: 'MultiPolygon', coordinates: [[[[], []]]] },
    };
    const more = creationBody({ jobs: [...jobs, job({ polygon: feature })] });
    expect((await service.create({ body: more })).status).toBe(422);
  });
});

describe('the weight of a creation request', () => {
  it('follows from its decompressed bytes, even if the body is rejected', async () => {
    const service = inMemoryService();
    const most = computeWeight({ jobs: 0, bodyBytes: LIMITS.bodyBytes }, CREATION_PER_UNIT, 600);
    for (const [text, status] of [
      [creationBody(), 202],
      ['!', 400],
      [`{${fields(1_000)}}`, 422],
    ] as const) {
      const body = gzipSync(text.padEnd(LIMITS.bodyBytes));
      const headers = { 'Content-Encoding': 'gzip' };
      expect((await service.create({ body, headers })).status).toBe(status);
      expect(service.weights.shift()).toBe(most - 1);
      service.weights.length = 0;
    }
  });

  it('follows from its jobs if they weigh more', async () => {
    const service = inMemoryService();
    const jobs = Array.from({ length: 1_000 }, () => ({ polygon: {}, year: 1 }));
    await service.create({ body: creationBody({ jobs }) });
    expect(service.weights).toEqual([0, 9]);
  });
});

describe('validation of a body', () => {
  it.each([
    ['unknown fields', `{${fields(1_000)}}`],
    ['unknown fields of a job', `{"jobs":[{${fields(1_000)}}]}`],
    ['fields that occur twice', `{${fields(1_000)},${fields(1_000)}}`],
    ['jobs', `{"jobs":[${'5,'.repeat(999)}5]}`],
  ])('lists the first hundred errors: %s', async (_, body) => {
    const response = await inMemoryService().create({ body });
    expect(response.status).toBe(422);
    const { errors, detail } = problemBody.parse(response.body);
    expect(errors).toHaveLength(MAX_VIOLATIONS);
    expect(detail).toMatch(/more than 100 .* 100 /);
  });

  it('stops after more violations than a response lists', () => {
    let found = 0;
    function* makeEndless() {
      for (;;) yield { pointer: `/${found++}`, message: 'is wrong' };
    }
    violationsProblem('validation', makeEndless());
    expect(found).toBe(MAX_VIOLATIONS + 1);
  });

  it('stops reading fields once it has found more unknown ones than a response lists', () => {
    const text = `{${fields(1_000)}}`;
    const members = readFieldSpans(Buffer.from(text), JSON.parse(text), ['jobs', 'metadata']);
    expect(members).toHaveLength(MAX_VIOLATIONS + 3);
  });

  it('lists each repeated field once, however often it is repeated', async () => {
    const body = `{"a":1,${'"a":1,'.repeat(500)}"jobs":[],"jobs":[]}`;
    const response = await inMemoryService().create({ body });
    expect(problemBody.parse(response.body).errors?.map(({ pointer }) => pointer)).toEqual([
      '/a',
      '/jobs',
    ]);
  });
});
