import { describe, expect, it } from 'vitest';
import { planJob } from '../../../../lambdas/domain/job/planning/plan-job.ts';
import { LIMITS } from '../../../../lambdas/domain/limits.ts';
import { aBox } from '../../../support/box.ts';
import { aDeployment, meuse, postBatch } from '../../../support/domain/deployment.ts';
import {
  BOW_TIE,
  FIELD,
  FLOOD_PLAIN,
  LATITUDE_FIRST,
  overAntimeridian,
  PROVINCE,
  UTRECHT,
} from '../../../support/domain/polygons.ts';
import { thinZigzag } from '../../../support/thin-zigzag.ts';
import { tinyTriangles } from '../../../support/tiny-triangles.ts';
import { errorOf, makeFiner, makeVariant, planOnlyJob } from './planned-job.ts';

const netherlands = makeVariant('5.0.0', {
  grid: {
    ...meuse.manifest.grid,
    origin: [0, 625_000],
    cell_size: 10,
    width: 28_000,
    height: 32_500,
  },
  coverage: aBox(3.2, 50.7, 7.3, 53.6),
});

describe('planning a job', () => {
  it('reports the error of the geometry and its location', async () => {
    const error = await errorOf({ polygon: BOW_TIE, year: 2024 });
    expect(error).toMatchObject({
      code: 'geometry_self_intersection',
      location: { ring: 0, lon: expect.closeTo(5.74, 6), lat: expect.closeTo(50.973, 6) },
    });
  });

  it.each([
    [null, /null/],
    ['POLYGON((0 0))', /"POLYGON\(\(0 0\)\)"/],
    ['x'.repeat(50), /string of 50/],
    [7, /\b7\b/],
    [[], /empty array/],
  ])('reports the value that came instead of a GeoJSON object: %j', async (polygon, says) => {
    const error = await errorOf({ polygon, year: 2024 });
    expect(error).toMatchObject({ code: 'geometry_malformed', location: null });
    expect(error.message).toMatch(says);
  });

  it('reports the area of the polygon and the limit', async () => {
    const error = await errorOf({ polygon: PROVINCE, year: 2024 });
    expect(error.code).toBe('area_over_limit');
    expect(error.message).toMatch(/7\d{4}\.\d ha.* 5000 ha/);
  });

  it('uses the limit under which its batch was created, not the default', async () => {
    const deployment = aDeployment();
    const { batch_id: batchId } = await postBatch(deployment, [{ polygon: FIELD, year: 2024 }], {
      hectares_per_job: 1,
    });
    const planning = await planJob(deployment, batchId, 0);
    expect(planning).toMatchObject({ kind: 'refused', error: { code: 'area_over_limit' } });
    expect(JSON.stringify(planning)).toMatch(/at most 1 ha/);
  });

  it.each([99_999, 2101, 1899, 0, -5000, Number.MIN_SAFE_INTEGER])(
    'names the possible years if the job has the year %d, even for a static model',
    async (year) => {
      const error = await errorOf({ polygon: FIELD, year });
      expect(error.code).toBe('year_not_covered');
      expect(error.message).toMatch(new RegExp(`${year}.*1900 to 2100`));
    },
  );

  it.each([1900, 2100])('accepts the year %d for a static model', async (year) => {
    expect((await planOnlyJob({ polygon: FIELD, year })).planning.kind).toBe('planned');
  });

  it('names the nearest pack and its coverage when none covers the polygon', async () => {
    const error = await errorOf({ polygon: UTRECHT, year: 2024 });
    expect(error.code).toBe('outside_coverage');
    expect(error.message).toMatch(/meuse-soc@[\d.]+.*lat 50\.95\d+.*lon 5\.72\d+ to 5\.76\d+/);
    expect(error.message).not.toMatch(/would fit|antimeridian/);
  });

  it('names only the nearest pack, and never a pack for checks', async () => {
    const at = (version: string, west: number, changes = {}) => {
      const coverage = aBox(west, 50, west + 0.5, 52);
      return makeVariant(version, { coverage, ...changes });
    };
    const packs = [at('9.0.0', -120), at('9.0.1', 3), at('9.0.2', 5.2, { for_checks: true })];
    const { message } = await errorOf({ polygon: UTRECHT, year: 2024 }, packs);
    expect(message).toContain('9.0.1');
    expect(message).not.toMatch(/9\.0\.[02]/);
    const unknown = await errorOf({ polygon: UTRECHT, year: 2024, model: 'other' }, packs);
    expect(unknown.message).not.toContain('9.0.2');
  });

  it('finds the nearest pack across the antimeridian', async () => {
    const at = (version: string, west: number) =>
      makeVariant(version, { coverage: aBox(west, 50, west + 1, 52) });
    const polygon = aBox(179.9, 51, 179.91, 51.01);
    const packs = [at('9.0.0', 150), at('9.0.1', -175)];
    expect((await errorOf({ polygon, year: 2024 }, packs)).message).toContain('9.0.1');
  });

  it('names a covering pack that is used only for jobs that name it', async () => {
    const covering = {
      ...makeVariant('9.0.0', {}),
      manifest: { ...netherlands.manifest, by_name_only: true },
    };
    const { code, message } = await errorOf({ polygon: UTRECHT, year: 2024 }, [covering, meuse]);
    expect(code).toBe('outside_coverage');
    expect(message).toContain('meuse-soc@9.0.0');
    expect(message).not.toContain(meuse.ref);
  });

  it.each([{ model: 'meuse-soc' }, {}])(
    'detects coordinates with the latitude first: %o',
    async (fields) => {
      const error = await errorOf({ polygon: LATITUDE_FIRST, year: 2024, ...fields });
      expect(error.code).toBe('outside_coverage');
      expect(error.message).toContain('longitude first');
    },
  );

  it.each([
    ['area_over_limit', LIMITS.hectaresPerJob],
    ['outside_coverage', 100_000],
  ])('detects a ring over the antimeridian: %s', async (code, hectaresPerJob) => {
    const deployment = aDeployment();
    const job = { polygon: overAntimeridian(0.000_01), year: 2024 };
    const { batch_id: batchId } = await postBatch(deployment, [job], {
      hectares_per_job: hectaresPerJob,
    });
    const planning = await planJob(deployment, batchId, 0);
    expect(planning).toMatchObject({ kind: 'refused', error: { code } });
    expect(JSON.stringify(planning)).toContain('RFC 7946, section 3.1.9');
  });

  it('names the requested pack if the polygon is outside its coverage', async () => {
    const error = await errorOf({ polygon: UTRECHT, year: 2024, model: 'meuse-soc' });
    expect(error.code).toBe('outside_coverage');
    expect(error.message).toMatch(/coverage of meuse-soc@/);
  });

  it('rejects a polygon outside the coverage of the requested pack, even on its grid', async () => {
    const pack = makeVariant('9.0.0', { coverage: aBox(5.755, 50.955, 5.76, 50.96) });
    const error = await errorOf({ polygon: FIELD, year: 2024, model: pack.ref }, [pack, meuse]);
    expect(error.code).toBe('outside_coverage');
    expect(error.message).toContain(pack.ref);
  });

  it.each([{ model: 'meuse-soc' }, {}])(
    'names the chosen pack, and recommends none, if the polygon is off its raster: %o',
    async (fields) => {
      const pack = makeVariant('9.0.0', { coverage: netherlands.manifest.coverage });
      const error = await errorOf({ polygon: UTRECHT, year: 2024, ...fields }, [pack]);
      expect(error.code).toBe('outside_coverage');
      expect(error.message).toContain(pack.ref);
      expect(error.message).not.toContain('Set the job');
    },
  );

  it('names the known models if the requested one is unknown', async () => {
    const error = await errorOf({ polygon: FIELD, year: 2024, model: 'atlantis' });
    expect(error.code).toBe('model_unknown');
    expect(error.message).toContain('"atlantis"');
    expect(error.message).toContain(meuse.ref);
  });

  it('names the years that a model covers', async () => {
    const decade: [number, number] = [2010, 2019];
    const periods = [{ years: decade, data_period: decade }];
    const dated = makeVariant('2.0.0', { temporal: { kind: 'period', periods } });
    const error = await errorOf({ polygon: FIELD, year: 1999 }, [dated]);
    expect(error.code).toBe('year_not_covered');
    expect(error.message).toMatch(/1999.*2010–2019/);
    const { record } = await planOnlyJob({ polygon: FIELD, year: 2012 }, [dated]);
    expect(record?.model).toMatchObject({ temporal: 'period', data_period: [2010, 2019] });
    expect(record?.warnings).toEqual([]);
  });

  it('reports into how many jobs to split a job with too many patch-batches', async () => {
    const fine = makeFiner('3.0.0', 16);
    const error = await errorOf({ polygon: FLOOD_PLAIN, year: 2024 }, [fine]);
    expect(error.code).toBe('too_many_patch_batches');
    const [count, limit, jobs] = [...error.message.matchAll(/\d+/g)].map(Number);
    expect(limit).toBe(LIMITS.patchBatchesPerJob);
    expect(jobs).toBe(Math.ceil((count ?? 0) / LIMITS.patchBatchesPerJob));
    expect(jobs).toBeGreaterThan(1);
  });

  it('reports the charge of a hair-thin polygon by its perimeter', async () => {
    const polygon = thinZigzag([5.7208, 50.9555, 5.7655, 50.993], 3_000, 1e-12);
    const error = await errorOf({ polygon, year: 2024 });
    expect(error.code).toBe('area_over_limit');
    expect(error.message).toMatch(/12\d{3}\.\d ha, its perimeter × 10 m.* 5000 ha/);
  });

  it('reports the charge of many tiny rings by their number', async () => {
    const deployment = aDeployment();
    const jobs = [{ polygon: tinyTriangles(300), year: 2024 }];
    const { batch_id: batchId } = await postBatch(deployment, jobs, { hectares_per_job: 10 });
    await planJob(deployment, batchId, 0);
    const record = await deployment.jobs.read(batchId, 0);
    const error = record?.status === 'failed' ? record.error : null;
    expect(error?.code).toBe('area_over_limit');
    expect(error?.message).toMatch(/18\.8 ha, 628 m² .* 300 rings.* 10 ha/);
  });

  it("limits grid crossings, whatever the tenant's area limit", async () => {
    const polygon = thinZigzag([3.4, 50.8, 7.1, 53.4], LIMITS.verticesPerJob, 1e-12);
    const deployment = aDeployment([netherlands]);
    const { batch_id: batchId } = await postBatch(deployment, [{ polygon, year: 2024 }], {
      hectares_per_job: 5_000_000,
    });
    const planning = await planJob(deployment, batchId, 0);
    if (planning.kind !== 'refused') throw new Error(`was ${planning.kind}`);
    expect(planning.error.code).toBe('too_many_grid_crossings');
    expect(planning.error.message).toMatch(/grid .* \d{9} times/);
    expect(planning.error.message).toContain(`${LIMITS.gridCrossingsPerJob} crossings are allowed`);
  });

  it('rejects a raster with too many tiles between distant parts', async () => {
    const fine = makeFiner('4.0.0', 10_000);
    const field = (lon: number, lat: number) => aBox(lon, lat, lon + 1e-7, lat + 1e-7).coordinates;
    const coordinates = [field(5.73, 50.96), field(5.76, 50.985)];
    const polygon = { type: 'MultiPolygon' as const, coordinates };
    const error = await errorOf({ polygon, year: 2024, model: fine.ref }, [fine]);
    expect(error.code).toBe('raster_too_large');
    expect(error.message).toContain(`${LIMITS.tilesPerRaster} tiles are allowed`);
  });

  it('changes nothing when it is repeated after an error', async () => {
    const { deployment, batchId, record } = await planOnlyJob({ polygon: BOW_TIE, year: 2024 });
    expect(await planJob(deployment, batchId, 0)).toEqual({ kind: 'nothing-to-do' });
    expect(await deployment.jobs.read(batchId, 0)).toEqual(record);
  });
});
