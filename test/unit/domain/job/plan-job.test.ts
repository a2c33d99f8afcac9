import { describe, expect, it } from 'vitest';
import { planJob } from '../../../../lambdas/domain/job/plan-job.ts';
import { LIMITS } from '../../../../lambdas/domain/limits.ts';
import type { Pack } from '../../../../lambdas/model/pack/pack.ts';
import type { JobRequest } from '../../../../local/in-memory/files.ts';
import { aBox } from '../../../box.ts';
import { thinZigzag } from '../../../thin-zigzag.ts';
import { aDeployment, meuse, posted } from '../in-memory/deployment.ts';
import {
  BOW_TIE,
  FIELD,
  FIELD_AND_SPECK,
  FLOOD_PLAIN,
  LATITUDE_FIRST,
  overAntimeridian,
  PROVINCE,
  TINY,
  UTRECHT,
} from '../polygons.ts';

async function planned(job: JobRequest, packs?: readonly Pack[], model: string | null = null) {
  const deployment = aDeployment(packs);
  const { batchId } = await posted(deployment, [job], { model });
  const planning = await planJob(deployment, batchId, 0);
  return { deployment, batchId, planning, record: await deployment.jobs.read(batchId, 0) };
}

const refusalOf = async (...given: Parameters<typeof planned>) => {
  const { planning, record } = await planned(...given);
  if (planning.kind !== 'refused') throw new Error(`was ${planning.kind}`);
  expect(record?.state).toMatchObject({ status: 'failed', error: planning.error });
  return planning.error;
};

/** The Meuse pack under another name, with another manifest. */
function variant(version: string, changes: Partial<Pack['manifest']>): Pack {
  const manifest = { ...meuse.manifest, ...changes, version };
  return { ...meuse, ref: `${manifest.id}@${version}`, manifest };
}

/** The same land in cells so many times smaller. */
function finer(version: string, times: number): Pack {
  const { grid } = meuse.manifest;
  const [width, height] = [grid.width * times, grid.height * times];
  return variant(version, { grid: { ...grid, cell_size: grid.cell_size / times, width, height } });
}

/** Cells of 10 m over the Netherlands. */
const netherlands = variant('5.0.0', {
  grid: {
    ...meuse.manifest.grid,
    origin: [0, 625_000],
    cell_size: 10,
    width: 28_000,
    height: 32_500,
  },
  coverage: aBox(3.2, 50.7, 7.3, 53.6),
});

describe('planning a job inside the coverage', () => {
  it('begins it with its patch-batches, its model and what its year means', async () => {
    const { deployment, batchId, planning, record } = await planned({ polygon: FIELD, year: 2024 });
    const plan = await deployment.patchBatches.readPlan(batchId, 0);
    expect(planning).toEqual({ kind: 'planned', patchBatches: plan?.blocks.length, shares: [[0]] });
    expect(record).toMatchObject({
      state: { status: 'processing' },
      model: { id: meuse.ref, temporal: 'static', dataPeriod: [1990, 1993] },
      progress: { totalPatchBatches: plan?.blocks.length, completedPatchBatches: 0 },
    });
    const points = plan?.blocks.reduce((sum, { pointCount }) => sum + pointCount, 0);
    expect(record?.progress?.pointCount).toBe(points);
    expect(record?.warnings.map(({ code }) => code)).toEqual(['static_model']);
    expect(record?.warnings[0]?.message).toMatch(/1990–1993.*2024/);
  });

  it('takes the batch out of pending', async () => {
    const { deployment, batchId } = await planned({ polygon: FIELD, year: 2024 });
    expect((await deployment.batches.read(batchId))?.state.status).toBe('processing');
  });

  it('answers the same when it is repeated, and changes nothing', async () => {
    const { deployment, batchId, planning, record } = await planned({ polygon: FIELD, year: 2024 });
    expect(await planJob(deployment, batchId, 0)).toEqual(planning);
    expect(await deployment.jobs.read(batchId, 0)).toEqual(record);
  });

  it('goes by the plan that was written first, also when its job was not begun', async () => {
    const deployment = aDeployment();
    const { batchId } = await posted(deployment, [{ polygon: FLOOD_PLAIN, year: 2024 }]);
    const twin = aDeployment();
    const other = await posted(twin, [{ polygon: FIELD, year: 2024 }]);
    await planJob(twin, other.batchId, 0);
    const earlier = await twin.patchBatches.readPlan(other.batchId, 0);
    if (earlier === null) throw new Error('not planned');
    await deployment.patchBatches.writePlan(batchId, 0, earlier);
    expect(await planJob(deployment, batchId, 0)).toEqual({
      kind: 'planned',
      patchBatches: earlier.blocks.length,
      shares: [earlier.blocks.map(({ idx }) => idx)],
    });
  });

  it('warns of a polygon that reaches over the coverage', async () => {
    const { record } = await planned({ polygon: FLOOD_PLAIN, year: 2024 });
    const codes = record?.warnings.map(({ code }) => code);
    expect(codes).toEqual(['static_model', 'partly_outside_coverage']);
  });

  it('does not warn of the coverage itself, whose edges belong to it', async () => {
    const { coverage } = meuse.manifest;
    const { record } = await planned({ polygon: coverage, year: 2024 });
    // This coverage goes some 25 m beyond its grid.
    const codes = record?.warnings.map(({ code }) => code);
    expect(codes).toEqual(['static_model', 'partly_outside_grid']);
  });

  it('takes the cells a tiny polygon touches, and says so', async () => {
    const { record } = await planned({ polygon: TINY, year: 2024 });
    expect(record?.progress?.pointCount).toBeGreaterThan(0);
    expect(record?.warnings.map(({ code }) => code)).toContain('smaller_than_cell');
  });

  it('gives a part of the polygon the cells it touches where it covers no centre, and names it', async () => {
    const field = await planned({ polygon: FIELD, year: 2024 });
    const { deployment, batchId, record } = await planned({ polygon: FIELD_AND_SPECK, year: 2024 });
    const more = (record?.progress?.pointCount ?? 0) - (field.record?.progress?.pointCount ?? 0);
    expect(more).toBeGreaterThanOrEqual(1);
    expect(more).toBeLessThanOrEqual(4);
    const plan = await deployment.patchBatches.readPlan(batchId, 0);
    expect(plan).toMatchObject({ rule: 'centre', touchedParts: [1] });
    const warning = record?.warnings.find(({ code }) => code === 'smaller_than_cell');
    expect(warning?.message).toMatch(/^Part 1 of the MultiPolygon/);
  });
});

describe('planning a job that can only fail', () => {
  it('says what is wrong with the geometry, and where', async () => {
    const error = await refusalOf({ polygon: BOW_TIE, year: 2024 });
    expect(error).toMatchObject({
      code: 'geometry_self_intersection',
      location: { ring: 0, lon: expect.closeTo(5.74, 6), lat: expect.closeTo(50.973, 6) },
    });
  });

  it('says how large the polygon is and may be', async () => {
    const error = await refusalOf({ polygon: PROVINCE, year: 2024 });
    expect(error.code).toBe('area_over_limit');
    expect(error.message).toMatch(/7\d{4}\.\d ha.* 5000 ha/);
  });

  it('uses the limit under which its batch was created, not the default', async () => {
    const deployment = aDeployment();
    const { batchId } = await posted(deployment, [{ polygon: FIELD, year: 2024 }], {
      hectaresPerJob: 1,
    });
    const planning = await planJob(deployment, batchId, 0);
    expect(planning).toMatchObject({ kind: 'refused', error: { code: 'area_over_limit' } });
    expect(JSON.stringify(planning)).toMatch(/at most 1 ha/);
  });

  it('names the packs and their coverage when none covers the polygon', async () => {
    const error = await refusalOf({ polygon: UTRECHT, year: 2024 });
    expect(error.code).toBe('outside_coverage');
    expect(error.message).toMatch(
      /meuse-soc@[\d.]+ \(an area within lon 5\.72\d+ to 5\.76\d+, lat 50\.95\d+/,
    );
    expect(error.message).not.toMatch(/would fit|antimeridian/);
  });

  it.each([{ model: 'meuse-soc' }, {}])('sees when latitude came first: %o', async (asked) => {
    const error = await refusalOf({ polygon: LATITUDE_FIRST, year: 2024, ...asked });
    expect(error.code).toBe('outside_coverage');
    expect(error.message).toContain('it would fit with longitude first');
  });

  it.each([
    ['area_over_limit', LIMITS.hectaresPerJob],
    ['outside_coverage', 100_000],
  ])('sees a ring over the antimeridian: %s', async (code, hectaresPerJob) => {
    const deployment = aDeployment();
    const job = { polygon: overAntimeridian(0.000_01), year: 2024 };
    const { batchId } = await posted(deployment, [job], { hectaresPerJob });
    const planning = await planJob(deployment, batchId, 0);
    expect(planning).toMatchObject({ kind: 'refused', error: { code } });
    expect(JSON.stringify(planning)).toContain('RFC 7946, section 3.1.9');
  });

  it('names the pack that was asked for when the polygon is not in its grid', async () => {
    const error = await refusalOf({ polygon: UTRECHT, year: 2024, model: 'meuse-soc' });
    expect(error.code).toBe('outside_coverage');
    expect(error.message).toMatch(/coverage of meuse-soc@/);
  });

  it('names the models there are when it asks for one there is not', async () => {
    const error = await refusalOf({ polygon: FIELD, year: 2024, model: 'atlantis' });
    expect(error.code).toBe('model_unknown');
    expect(error.message).toContain('"atlantis"');
    expect(error.message).toContain(meuse.ref);
  });

  it('names the years a model has maps for', async () => {
    const periods: [number, number][] = [[2010, 2019]];
    const dated = variant('2.0.0', { temporal: { kind: 'period', periods } });
    const error = await refusalOf({ polygon: FIELD, year: 1999 }, [dated]);
    expect(error.code).toBe('year_not_covered');
    expect(error.message).toMatch(/1999.*2010–2019/);
    const { record } = await planned({ polygon: FIELD, year: 2012 }, [dated]);
    expect(record?.model).toMatchObject({ temporal: 'period', dataPeriod: [2010, 2019] });
    expect(record?.warnings).toEqual([]);
  });

  it('says into how many jobs to split one of too many patch-batches', async () => {
    const fine = finer('3.0.0', 16);
    const error = await refusalOf({ polygon: FLOOD_PLAIN, year: 2024 }, [fine]);
    expect(error.code).toBe('too_many_patch_batches');
    const [count, limit, jobs] = [...error.message.matchAll(/\d+/g)].map(Number);
    expect(limit).toBe(LIMITS.patchBatchesPerJob);
    expect(jobs).toBe(Math.ceil((count ?? 0) / LIMITS.patchBatchesPerJob));
    expect(jobs).toBeGreaterThan(1);
  });

  it('reports the charge of a hair-thin polygon by its perimeter', async () => {
    const polygon = thinZigzag([5.7208, 50.9555, 5.7655, 50.993], 3_000, 1e-12);
    const error = await refusalOf({ polygon, year: 2024 });
    expect(error.code).toBe('area_over_limit');
    expect(error.message).toMatch(/12\d{3}\.\d ha, its perimeter × 10 m.* 5000 ha/);
  });

  it('limits grid crossings, whatever the area limit of the tenant', async () => {
    const polygon = thinZigzag([3.4, 50.8, 7.1, 53.4], LIMITS.verticesPerJob, 1e-12);
    const deployment = aDeployment([netherlands]);
    const { batchId } = await posted(deployment, [{ polygon, year: 2024 }], {
      hectaresPerJob: 5_000_000,
    });
    const planning = await planJob(deployment, batchId, 0);
    if (planning.kind !== 'refused') throw new Error(`was ${planning.kind}`);
    expect(planning.error.code).toBe('too_many_grid_crossings');
    expect(planning.error.message).toMatch(/crosses \d{9} lines between/);
    expect(planning.error.message).toContain(`${LIMITS.gridCrossingsPerJob} are allowed`);
  });

  it('rejects a raster with too many tiles between distant parts', async () => {
    const fine = finer('4.0.0', 10_000);
    const field = (lon: number, lat: number) => aBox(lon, lat, lon + 1e-7, lat + 1e-7).coordinates;
    const coordinates = [field(5.73, 50.96), field(5.76, 50.985)];
    const polygon = { type: 'MultiPolygon' as const, coordinates };
    const error = await refusalOf({ polygon, year: 2024, model: fine.ref }, [fine]);
    expect(error.code).toBe('raster_too_large');
    expect(error.message).toContain(`${LIMITS.tilesPerRaster} are allowed`);
  });

  it('has nothing to do when it is repeated', async () => {
    const { deployment, batchId, record } = await planned({ polygon: BOW_TIE, year: 2024 });
    expect(await planJob(deployment, batchId, 0)).toEqual({ kind: 'nothing-to-do' });
    expect(await deployment.jobs.read(batchId, 0)).toEqual(record);
  });
});

describe('planning a job that the batch has not', () => {
  it.each([1, LIMITS.jobsPerBatch - 1])('does nothing at index %i', async (index) => {
    const deployment = aDeployment();
    const { batchId } = await posted(deployment, [{ polygon: FIELD, year: 2024 }]);
    expect(await planJob(deployment, batchId, index)).toEqual({ kind: 'nothing-to-do' });
    expect(await deployment.jobs.list(batchId)).toEqual([]);
    expect((await deployment.batches.read(batchId))?.state.status).toBe('pending');
  });
});

describe('the model of a job', () => {
  const newer = variant('2.0.0', {});

  it("is its own, before its batch's, before the deployment's first", async () => {
    const modelOf = async (job: string | undefined, batch: string | null) => {
      const request = { polygon: FIELD, year: 2024, ...(job === undefined ? {} : { model: job }) };
      const { record } = await planned(request, [newer, meuse], batch);
      return record?.model?.id;
    };
    expect(await modelOf(undefined, null)).toBe(newer.ref);
    expect(await modelOf(undefined, meuse.ref)).toBe(meuse.ref);
    expect(await modelOf(newer.ref, meuse.ref)).toBe(newer.ref);
  });

  it('is the first that covers the whole polygon, before one that covers a part', async () => {
    const part = variant('4.0.0', { coverage: aBox(5.7345, 50.9655, 5.74, 50.9735) });
    const { record } = await planned({ polygon: FIELD, year: 2024 }, [part, meuse]);
    expect(record?.model?.id).toBe(meuse.ref);
  });
});

describe('the model of a job in its year, without one asked for', () => {
  const dated = (version: string, first: number, last: number, coverage?: typeof SLICE) =>
    variant(version, {
      temporal: { kind: 'period', periods: [[first, last]] },
      ...(coverage === undefined ? {} : { coverage }),
    });
  /** A part of the field. */
  const SLICE = aBox(5.7345, 50.9655, 5.74, 50.9735);
  const [early, late] = [dated('2.0.0', 2016, 2018), dated('3.0.0', 2019, 2021)];
  const modelIn = async (year: number, packs: readonly Pack[]) =>
    (await planned({ polygon: FIELD, year }, packs)).record?.model?.id;

  it('is the first that contains the polygon and has the year', async () => {
    expect(await modelIn(2017, [early, late])).toBe(early.ref);
    expect(await modelIn(2020, [early, late])).toBe(late.ref);
    expect(await modelIn(2020, [early, meuse, late])).toBe(meuse.ref);
  });

  it('is one that has the year and overlaps, before one that contains the polygon in other years', async () => {
    const slice = dated('4.0.0', 2019, 2021, SLICE);
    expect(await modelIn(2020, [early, slice])).toBe(slice.ref);
    expect(await modelIn(2020, [slice, late])).toBe(late.ref);
  });

  it('is none in a year that no model has, and the error names the years there are', async () => {
    const error = await refusalOf({ polygon: FIELD, year: 2024 }, [early, late]);
    expect(error.code).toBe('year_not_covered');
    expect(error.message).toMatch(/2024.*2\.0\.0 covers 2016–2018; .*3\.0\.0 covers 2019–2021/);
  });

  it('does not name the years of a model that lies elsewhere', async () => {
    const elsewhere = dated('5.0.0', 2024, 2024, aBox(5.1, 52.08, 5.11, 52.09));
    const error = await refusalOf({ polygon: FIELD, year: 2024 }, [early, elsewhere]);
    expect(error.code).toBe('year_not_covered');
    expect(error.message).not.toContain('5.0.0');
  });

  it('is not looked for where the job asks for one', async () => {
    const error = await refusalOf({ polygon: FIELD, year: 2020 }, [early, late], early.ref);
    expect(error.message).toMatch(/2\.0\.0.*2020.*2016–2018/);
    expect(error.message).not.toContain('3.0.0');
  });
});

describe('planning in a batch that is final', () => {
  it('writes nothing', async () => {
    const deployment = aDeployment();
    const { batchId } = await posted(deployment, [{ polygon: FIELD, year: 2024 }]);
    const completedAt = new Date().toISOString();
    await deployment.batches.finish(batchId, { status: 'failed', completedAt }, null);
    expect(await planJob(deployment, batchId, 0)).toEqual({ kind: 'nothing-to-do' });
    expect(await deployment.jobs.read(batchId, 0)).toBeNull();
    expect(await deployment.patchBatches.readPlan(batchId, 0)).toBeNull();
  });
});
