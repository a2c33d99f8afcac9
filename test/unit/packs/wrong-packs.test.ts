import { describe, expect, it } from 'vitest';
import { cellRemarks } from '../../../bin/packs/cell-remarks.ts';
import { packWarnings } from '../../../bin/packs/pack-warnings.ts';
import { sampledCells } from '../../../bin/packs/sampled-cells.ts';
import type { Pack } from '../../../engine/model/pack/pack.ts';
import { type Spoiled, stockPack, TENFOLD_CLAY } from './stock-pack.ts';

/** What `pack-check` says of it, figures in passing left out. */
async function checked(pack: Pack): Promise<readonly string[]> {
  const { cells } = await sampledCells(pack, 200);
  const remarks = cellRemarks(pack.manifest, cells).filter(({ isWarning }) => isWarning);
  return [...(await packWarnings(pack)), ...remarks.map(({ text }) => text)];
}

const standardised = [
  (clay: number) => (clay - 30) / 15,
  (elevation: number) => (elevation - 250) / 177,
] as const;

const tags = '<GDALMetadata><Item name="SCALE" sample="0" role="scale">0.1</Item></GDALMetadata>';

it('a right pack passes `pack-check` without remark, also with a scale in its file', async () => {
  for (const clayFile of [{}, { values: TENFOLD_CLAY, metadata: tags }]) {
    expect(await checked(await stockPack({ clayFile }))).toEqual([]);
  }
});

describe('pack-check', () => {
  it.each<[string, Spoiled, RegExp]>([
    [
      'a model trained on standardised covariates',
      { trainedOn: standardised },
      /^clay lies outside the training's -2 to 2 .*trained on its values/,
    ],
    [
      'a logarithm that is not turned back',
      { told: (values) => [Math.log(values[0]), Math.log1p(values[1]), Math.log(values[2])] },
      /^mean lies outside the training's 10 to 130 .*logarithm/,
    ],
    [
      'a covariate whose scale is lost',
      { clayFile: { values: TENFOLD_CLAY } },
      /^clay lies outside the training's 0 to 60 .*scale/,
    ],
    [
      'a covariate whose nodata is lost',
      { clayFile: { nodata: '' } },
      /^clay is -9999, far outside the training's 0 to 60, in .*nodata/,
    ],
    [
      'a depth in metres',
      {
        manifest: (right) => ({ ...right, property: { ...right.property, depth_cm: [0, 3] } }),
      },
      /^the layer from 0 to 3 cm is 3 cm thick/,
    ],
    [
      'negative stocks',
      { told: ([mean, lower, upper]) => [mean - 60, lower - 60, upper - 60] },
      /^mean has values that carbon stock cannot have .*such as -/,
    ],
    [
      'one value everywhere',
      { told: () => [88.1, 70, 100] },
      /^mean is 88\.1 in all 200 cells.*order of the covariates.*scaled/,
    ],
    [
      'a model that extrapolates to one value',
      {
        told: () => [88.1, 70, 100],
        manifest: (right) => ({
          ...right,
          covariates: right.covariates.map((covariate) => ({
            ...covariate,
            trained_range: [3, 4],
          })),
        }),
      },
      /^mean is 88\.1 in all 200 cells.*extrapolates/,
    ],
    [
      'a pH that no soil has',
      { manifest: (right) => named(right, 'pH in water', '1') },
      /^mean has values that pH in water cannot have .*from 0 to 14/,
    ],
    [
      'a stock in a unit that gives none',
      { manifest: (right) => named(right, 'carbon stock', 'mg/kg') },
      /^the property is called carbon stock, but mg\/kg is neither/,
    ],
    [
      'a covariate half a cell off',
      { clayFile: { origin: [500005, 5600000] } },
      /^clay has the grid's cell size, but lies -?0\.50 columns/,
    ],
    [
      'errors that are declared independent',
      { manifest: (right) => withCorrelation(right, 1, 0.001) },
      /^error\.correlation \(nugget 1, range_m 0\.001\)/,
    ],
    [
      'errors that are declared alike on the whole map',
      { manifest: (right) => withCorrelation(right, 0, 1e7) },
      /^error\.correlation \(nugget 0, range_m 10000000\).*whole grid/,
    ],
    [
      'errors of which bounds contain two thirds',
      { manifest: narrow },
      /^error: p16 to p84 contain 0\.68 of all values/,
    ],
    [
      'a manifest that does not say what the model saw',
      {
        manifest: ({ trained_range, ...right }) => ({
          ...right,
          covariates: right.covariates.map(({ trained_range: _, ...covariate }) => covariate),
        }),
      },
      /no trained_range of the property and of the covariates clay, elevation/,
    ],
  ])('names %s', async (_, spoiled, reason) => {
    const warnings = await checked(await stockPack(spoiled));
    expect(warnings).toContainEqual(expect.stringMatching(reason));
  });
});

describe('one value far outside the training, in a few cells', () => {
  /** Two hundred cells of a right pack, some with an elevation of their own. */
  async function remarks(elevations: readonly number[], known: object = {}) {
    const { manifest } = await stockPack();
    const [clay, elevation] = manifest.covariates;
    if (clay === undefined || elevation?.kind !== 'raster') throw new Error('no covariates');
    const covariates = [
      clay,
      { ...elevation, trained_range: [100, 500] as [number, number], ...known },
    ];
    const cells = Array.from({ length: 200 }, (_, i) => ({
      covariates: [30, elevations[i] ?? 110 + i],
      bands: [60 + i / 10, 50 + i / 10, 70 + i / 10],
    }));
    const found = cellRemarks({ ...manifest, covariates }, cells);
    return found.filter(({ isWarning }) => isWarning).map(({ text }) => text);
  }

  it.each([0, -9999, 65_535, -32_768])('is a warning: %d', async (value) => {
    expect(await remarks([value, value, 520])).toEqual([
      expect.stringMatching(/^elevation is -?\d+, far outside .* in 2 of 200 cells/),
    ]);
  });

  it('is none for several values, nor for one that is little higher', async () => {
    expect(await remarks([540, 560, 580])).toEqual([]);
    expect(await remarks([510, 510])).toEqual([]);
  });

  it('is 0 among classes, and not a class that the model does not know', async () => {
    const known = Array.from({ length: 310 }, (_, i) => i + 1);
    const classes = { trained_range: undefined, trained_classes: known };
    expect(await remarks([0, 0], classes)).toHaveLength(1);
    expect(await remarks([311, 311], classes)).toEqual([]);
  });
});

type ManifestJson = Parameters<Required<Spoiled>['manifest']>[0];

const named = (right: ManifestJson, name: string, unit: string): ManifestJson => ({
  ...right,
  property: { ...right.property, name, unit },
});

function narrow(right: ManifestJson): ManifestJson {
  if (right.error === undefined) throw new Error('a right pack declares its errors');
  const [mean] = right.bands;
  if (mean === undefined) throw new Error('a right pack has a mean');
  const bounds = [0.16, 0.84].map((level, i) => ({
    ...{ name: `p${100 * level}`, description: `${100 * level} %` },
    from: { kind: 'target' as const, index: i + 1, level },
  }));
  return {
    ...right,
    bands: [mean, ...bounds],
    error: { ...right.error, lower: 'p16', upper: 'p84' },
  };
}

function withCorrelation(right: ManifestJson, nugget: number, range_m: number): ManifestJson {
  if (right.error === undefined) throw new Error('a right pack declares its errors');
  const correlation = { model: 'exponential' as const, nugget, range_m };
  return { ...right, error: { ...right.error, correlation } };
}
