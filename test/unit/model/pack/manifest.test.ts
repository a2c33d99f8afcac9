import { describe, expect, it } from 'vitest';
import { aManifest, aPack } from '../../../support/model/builders.ts';

const band = { name: 'mean', description: 'mean' };
const quantileBand = { kind: 'quantile', level: 0.05, probability: 0.04 } as const;
const x = { kind: 'coordinate', name: 'x', description: 'x', axis: 'x' } as const;
const distribution = { first_target: 1, thresholds: [1, 2], lower: 0, upper: 3 };

const meanOf = { ...band, from: { kind: 'target', index: 0 } } as const;
const boundOf = (name: string, level: number) => ({
  name,
  description: name,
  from: { kind: 'target' as const, index: 1, level },
});
const bounded = { bands: [meanOf, boundOf('q05', 0.05), { ...meanOf, name: 'other' }] };
const error = { lower: 'q05', upper: 'q95', how: 'by hand', command: 'none' };
const area = {
  ...{ href: 'training.f32', points: 2, weights: [1, 0, 0, 0], how: 'by hand' },
  ...{ mean_distance: 1, threshold: 0.5 },
};

const makeGrid = (proj4: string) => {
  const { grid } = aManifest();
  return { grid: { ...grid, crs: { ...grid.crs, proj4 } } };
};

describe('a manifest that contradicts itself', () => {
  it.each<[string, RegExp, Parameters<typeof aManifest>[0]]>([
    [
      'a band for a target that the graph lacks',
      /bands\[0\]\.from\.index: 2 .*0 to 1/,
      { bands: [{ ...band, from: { kind: 'target', index: 2 } }] },
    ],
    [
      'both a range and classes of the training data',
      /covariates\[0\]\.trained_classes: .*"trained_range"/,
      {
        covariates: [
          {
            ...{ kind: 'raster', name: 'soil', description: 'soil', unit: null, href: 'soil.tif' },
            ...{ trained_range: [1, 3], trained_classes: [1, 3] },
          },
        ],
      },
    ],
    [
      'a quantile without a distribution',
      /bands\[0\]\.from: .*"distribution"/,
      { bands: [{ ...band, from: quantileBand }] },
    ],
    [
      'errors for a band without a level',
      /error\.upper: "other" .*allowed are "q05" \(0\.05\)/,
      { ...bounded, error: { ...error, upper: 'other' } },
    ],
    [
      'errors with bounds whose levels are not symmetric',
      /error\.upper: .*0\.9 must be 0\.95/,
      {
        bands: [meanOf, boundOf('q05', 0.05), boundOf('q90', 0.9)],
        error: { ...error, upper: 'q90' },
      },
    ],
    [
      'errors with exchanged bounds',
      /error\.lower: its level 0\.95 must be below 0\.5/,
      {
        bands: [meanOf, boundOf('q05', 0.05), boundOf('q95', 0.95)],
        error: { ...error, lower: 'q95', upper: 'q05' },
      },
    ],
    [
      'errors without a mean',
      /error: needs a band with the mean/,
      { bands: [boundOf('q05', 0.05), boundOf('q95', 0.95)], error },
    ],
    ['more thresholds than targets', /distribution\.thresholds: .*3 .*2$/, { distribution }],
    [
      'two covariates with the same name',
      /covariates\[1\]\.name: "x" .*covariates\[0\]/,
      { covariates: [x, x] },
    ],
    [
      'two bands with the same name',
      /bands\[1\]\.name: "mean" .*bands\[0\]/,
      {
        bands: [
          { ...band, from: { kind: 'target', index: 0 } },
          { ...band, from: { kind: 'target', index: 1 } },
        ],
      },
    ],
    [
      'a nodata value within the support',
      /nodata: 0 .*0 to 3/,
      { nodata: 0, distribution: { ...distribution, first_target: 0 } },
    ],
    ['a nodata value that no cell can hold', /nodata: 0\.1 .*float32/, { nodata: 0.1 }],
    [
      'a nodata value that is not an integer of its type',
      /nodata: -9999 .*uint8.* 0 to 255/,
      { raster: { sample_type: 'uint8' } },
    ],
    [
      'a scale for floating-point cells',
      /bands\[0\]\.scale: .*float32/,
      { bands: [{ ...band, from: { kind: 'target', index: 0 }, scale: 0.1 }] },
    ],
    [
      'quantiles that do not fit its integers',
      /bands\[0\]\.scale: .*0 to 3 .*0 to 300.*uint8 .*0 to 255/,
      {
        raster: { sample_type: 'uint8' },
        nodata: 255,
        distribution: { ...distribution, first_target: 0 },
        bands: [{ ...band, from: quantileBand, scale: 0.01 }],
      },
    ],
    [
      'a nodata value that may be a stored quantile',
      /nodata: 0 .*"mean".* 0 to 3 .*0 to 30/,
      {
        raster: { sample_type: 'uint8' },
        nodata: 0,
        distribution: { ...distribution, first_target: 0 },
        bands: [{ ...band, from: quantileBand, scale: 0.1 }],
      },
    ],
    [
      'a band for an area of applicability that it does not declare',
      /bands\[0\]\.from: .*"applicability"/,
      { bands: [{ ...band, from: { kind: 'applicability' } }] },
    ],
    [
      'weights for unknown covariates',
      /applicability\.weights: has 3 weights for 4 covariates/,
      { applicability: { ...area, weights: [1, 1, 1] } },
    ],
    [
      'a nodata value that means a cell outside the area of applicability',
      /nodata: 0 .*"mean".* 0 to 1/,
      { applicability: area, nodata: 0, bands: [{ ...band, from: { kind: 'applicability' } }] },
    ],
    [
      'a band name that states another level',
      /bands\[0\]\.from\.level: 0\.16 .*"q05".*0\.05/,
      {
        distribution: { ...distribution, first_target: 0 },
        bands: [{ ...band, name: 'q05', from: { ...quantileBand, level: 0.16 } }],
      },
    ],
    [
      "a band name that states a different level from its target's",
      /bands\[0\]\.from\.level: 0\.95 .*"q05".*0\.05/,
      { bands: [{ ...band, name: 'q05', from: { kind: 'target', index: 0, level: 0.95 } }] },
    ],
    [
      'bounds that read exchanged targets',
      /bands\[1\]\.from\.probability: 0\.05 .*0\.95.* 0\.05/,
      {
        distribution: { ...distribution, first_target: 0 },
        bands: [
          { ...band, name: 'q05', from: { kind: 'quantile', level: 0.05, probability: 0.95 } },
          { ...band, name: 'q95', from: { kind: 'quantile', level: 0.95, probability: 0.05 } },
        ],
      },
    ],
    [
      'more unsuitable purposes than a page can show',
      /not_for: /,
      { not_for: Array(7).fill('single trees') },
    ],
    [
      'an unsuitable purpose with the length of a page',
      /not_for\[0\]: /,
      { not_for: ['trees '.repeat(40)] },
    ],
    [
      'a layer whose depths are reversed',
      /property\.depth_cm: /,
      { property: { name: 'carbon density', unit: 'kg/m3', depth_cm: [30, 0] } },
    ],
    [
      'a period whose years are reversed',
      /temporal\.data_period: /,
      { temporal: { kind: 'static', data_period: [2001, 2000] } },
    ],
    [
      'a CRS without a datum shift',
      /grid\.crs\.proj4: .*"bessel".*"\+towgs84=…"/,
      makeGrid('+proj=tmerc +lat_0=0 +lon_0=9 +k=1 +x_0=3500000 +ellps=bessel +units=m'),
    ],
    [
      'a CRS whose shift is in a file',
      /grid\.crs\.proj4: .*"\+nadgrids".*"\+towgs84=…"/,
      makeGrid('+proj=utm +zone=10 +ellps=clrk66 +nadgrids=conus'),
    ],
    [
      'a sinusoidal grid with a false origin, which proj4js ignores',
      /grid\.crs\.proj4: "\+x_0=500000" is not supported/,
      makeGrid('+proj=sinu +lon_0=0 +x_0=500000 +y_0=0 +R=6371007.181'),
    ],
    [
      'an open coverage ring',
      /coverage\.coordinates\[0\]: .*not closed/,
      {
        coverage: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 1],
            ],
          ],
        },
      },
    ],
  ])('is rejected because of %s', async (_, message, changes) => {
    await expect(aPack(aManifest(changes), {})).rejects.toThrow(message);
  });
});
