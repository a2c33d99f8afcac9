import { describe, expect, it } from 'vitest';
import type { Pack } from '../../../../engine/model/pack/pack.ts';
import { aBox } from '../../../support/box.ts';
import { meuse } from '../../../support/domain/deployment.ts';
import { FIELD } from '../../../support/domain/polygons.ts';
import { errorOf, makeVariant, planOnlyJob } from './planned-job.ts';

describe('the model of a job', () => {
  const newer = makeVariant('2.0.0', {});

  it("is the job's, or else the batch's, or else the deployment's first model", async () => {
    const modelOf = async (job: string | undefined, batch: string | null) => {
      const request = { polygon: FIELD, year: 2024, ...(job === undefined ? {} : { model: job }) };
      const { record } = await planOnlyJob(request, [newer, meuse], batch);
      return record?.model?.id;
    };
    expect(await modelOf(undefined, null)).toBe(newer.ref);
    expect(await modelOf(undefined, meuse.ref)).toBe(meuse.ref);
    expect(await modelOf(newer.ref, meuse.ref)).toBe(newer.ref);
  });

  it('is the first that covers the whole polygon, even after one that covers a part', async () => {
    const part = makeVariant('4.0.0', { coverage: aBox(5.7345, 50.9655, 5.74, 50.9735) });
    const { record } = await planOnlyJob({ polygon: FIELD, year: 2024 }, [part, meuse]);
    expect(record?.model?.id).toBe(meuse.ref);
  });
});

describe('a model with maps for several periods', () => {
  const periods = makeVariant('7.0.0', {
    temporal: {
      kind: 'period',
      periods: [
        { years: [2010, 2014], data_period: [2010, 2015] },
        { years: [2015, 2019], data_period: [2015, 2020] },
      ],
    },
  });

  it("runs a job on the map of its year, and states the years of the map's data", async () => {
    const mapOf = async (year: number) => {
      const { deployment, record, batchId } = await plannedIn(year);
      const plan = await deployment.patchBatches.readPlan(batchId, 0);
      return [plan?.years, record?.model?.data_period];
    };
    const plannedIn = (year: number) => planOnlyJob({ polygon: FIELD, year }, [periods]);
    expect(await mapOf(2014)).toEqual([
      [2010, 2014],
      [2010, 2015],
    ]);
    expect(await mapOf(2015)).toEqual([
      [2015, 2019],
      [2015, 2020],
    ]);
  });

  it('lists the years of every period if a job requests another year', async () => {
    for (const model of [null, periods.ref]) {
      const error = await errorOf({ polygon: FIELD, year: 2020 }, [periods], model);
      expect(error.code).toBe('year_not_covered');
      expect(error.message).toMatch(/2020.*2010–2014, 2015–2019\./);
    }
  });

  it('is found by its ID if only a later version has the year', async () => {
    const later = makeVariant('8.0.0', {
      temporal: { kind: 'period', periods: [{ years: [2024, 2024], data_period: [2023, 2024] }] },
    });
    const { record } = await planOnlyJob(
      { polygon: FIELD, year: 2024 },
      [periods, later],
      later.manifest.id,
    );
    expect(record?.model?.id).toBe(later.ref);
  });
});

describe('a model that is used only for jobs that name it', () => {
  const byName = makeVariant('6.0.0', { by_name_only: true });

  it('is not chosen for other jobs', async () => {
    const modelOf = async (model: string | null) =>
      (await planOnlyJob({ polygon: FIELD, year: 2024 }, [byName, meuse], model)).record?.model?.id;
    expect(await modelOf(null)).toBe(meuse.ref);
    expect(await modelOf(byName.ref)).toBe(byName.ref);
  });
});

describe('the model of a job that requests no model, for the year of the job,', () => {
  const dated = (version: string, first: number, last: number, coverage?: typeof SLICE) =>
    makeVariant(version, {
      temporal: { kind: 'period', periods: [{ years: [first, last], data_period: [first, last] }] },
      ...(coverage === undefined ? {} : { coverage }),
    });
  const SLICE = aBox(5.7345, 50.9655, 5.74, 50.9735);
  const [early, late] = [dated('2.0.0', 2016, 2018), dated('3.0.0', 2019, 2021)];
  const modelIn = async (year: number, packs: readonly Pack[]) =>
    (await planOnlyJob({ polygon: FIELD, year }, packs)).record?.model?.id;

  it('is the first that has the year and contains the polygon', async () => {
    expect(await modelIn(2017, [early, late])).toBe(early.ref);
    expect(await modelIn(2020, [early, late])).toBe(late.ref);
    expect(await modelIn(2020, [early, meuse, late])).toBe(meuse.ref);
  });

  it('is one that has the year, even if it only overlaps the polygon and another year’s model contains it', async () => {
    const slice = dated('4.0.0', 2019, 2021, SLICE);
    expect(await modelIn(2020, [early, slice])).toBe(slice.ref);
    expect(await modelIn(2020, [slice, late])).toBe(late.ref);
  });

  it('does not exist if no model has the year, and the error names the available years', async () => {
    const error = await errorOf({ polygon: FIELD, year: 2024 }, [early, late]);
    expect(error.code).toBe('year_not_covered');
    expect(error.message).toMatch(/2024.*2\.0\.0 covers 2016–2018; .*3\.0\.0 covers 2019–2021/);
  });

  it('does not exist if only models of other areas have the year, and the error omits them', async () => {
    const elsewhere = dated('5.0.0', 2024, 2024, aBox(5.1, 52.08, 5.11, 52.09));
    const error = await errorOf({ polygon: FIELD, year: 2024 }, [early, elsewhere]);
    expect(error.code).toBe('year_not_covered');
    expect(error.message).not.toContain('5.0.0');
  });

  it('is not chosen by year if the batch requests a model', async () => {
    const error = await errorOf({ polygon: FIELD, year: 2020 }, [early, late], early.ref);
    expect(error.message).toMatch(/2\.0\.0.*2020.*2016–2018/);
    expect(error.message).not.toContain('3.0.0');
  });
});
