import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApplicabilityTest } from '../../../engine/model/applicability/applicability.ts';
import { listDigestedFiles } from '../../../engine/model/pack/digests.ts';
import type { Applicability, Covariate } from '../../../engine/model/pack/manifest.ts';
import { predictWindow } from '../../../engine/model/predict-window.ts';
import { findFileProblems } from '../../../engine/model/verify-pack.ts';
import { aManifest, aPack } from '../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../support/model/geotiff-file.ts';
import { trainingFile } from '../../support/model/training-points.ts';

const quantity = (name: string): Covariate => ({
  ...{ kind: 'coordinate', axis: 'x', name, description: name },
});
const plain: readonly Covariate[] = [quantity('a'), quantity('b')];
const declareApplicability = (points: number, threshold: number): Applicability => ({
  ...{
    href: 'training.f32',
    points,
    weights: [1, 0.5],
    mean_distance: 2,
    threshold,
    how: 'by hand',
  },
});

describe('a cell', () => {
  it('is inside up to the threshold from a point, and outside beyond it', () => {
    // Both covariates have the standard deviation √2.
    const file = trainingFile([
      [0, 10],
      [2, 12],
    ]);
    const isInside = createApplicabilityTest(declareApplicability(2, 0.5), plain, file);
    const [reach] = [Math.SQRT2];
    expect(isInside([-reach, 10], 0)).toBe(true);
    expect(isInside([-reach - 1e-6, 10], 0)).toBe(false);
    expect(isInside([9, 9, 2, 12 + 2 * reach], 2)).toBe(true);
    expect(isInside([9, 9, 2, 12 + 2 * reach + 1e-6], 2)).toBe(false);
  });

  it('is inside or outside regardless of the cells checked before it', () => {
    // Use few values, so that many distances are equal.
    const point = fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 }));
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 2, maxLength: 60 }),
        fc.array(point, { minLength: 1, maxLength: 30 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (points, cells, threshold) => {
          fc.pre([0, 1].every((k) => new Set(points.map((one) => one[k])).size > 1));
          const of = declareApplicability(points.length, threshold);
          const file = trainingFile(points);
          const isInside = createApplicabilityTest(of, plain, file);
          for (const cell of cells) {
            expect(isInside(cell, 0)).toBe(createApplicabilityTest(of, plain, file)(cell, 0));
            if (points.some(([a, b]) => a === cell[0] && b === cell[1])) {
              expect(isInside(cell, 0)).toBe(true);
            }
          }
        },
      ),
    );
  });
});

describe('a pack', () => {
  const whole = { col: 0, row: 0, width: 40, height: 30 };
  const values = cellsOf((col) => col);
  const files = {
    'forest.onnx': readFileSync(new URL('../../fixtures/onnx/forest.onnx', import.meta.url)),
    'slope.tif': aGeoTiff({ values }),
    'clay.tif': aGeoTiff({ values: cellsOf((_, row) => row) }),
  };
  /** Only the slope matters: its training data range from 10 to 19. */
  const points = Array.from({ length: 10 }, (_, i) => [10 + i, i, i, i]);
  const area = {
    ...{ href: 'training.f32', points: 10, weights: [1, 0, 0, 0], how: 'by hand' },
    // Half a degree: the standard deviation is √(55 ÷ 6).
    ...{ mean_distance: 1, threshold: 0.5 / Math.sqrt(55 / 6) },
  };
  const band = {
    ...{ name: 'applicability', description: '1 inside', overviews: 'mode' as const },
    from: { kind: 'applicability' as const },
  };
  const manifest = aManifest({ applicability: area, bands: [...aManifest().bands, band] });
  const packWith = (file: Uint8Array) => aPack(manifest, { ...files, 'training.f32': file });

  it('counts the cells outside its area of applicability, and has a band of 0 and 1 if it declares such a band', async () => {
    const pack = await packWith(trainingFile(points));
    const found = await predictWindow(pack, whole, new Uint8Array(40 * 30).fill(1));
    expect(found.outsideApplicability).toBe(30 * 30);
    const expected = Array.from(values, (value) => (value >= 10 && value <= 19 ? 1 : 0));
    expect(expected.map((_, cell) => found.cells[cell * 3 + 2])).toEqual(expected);
  });

  it('has no count of cells outside the area of applicability if it declares none', async () => {
    const pack = await aPack(aManifest(), files);
    const found = await predictWindow(pack, whole, new Uint8Array(40 * 30).fill(1));
    expect(found.outsideApplicability).toBeNull();
  });

  it('counts a class that the training data lack as outside', async () => {
    const [slope, ...others] = aManifest().covariates;
    const covariates = [{ ...slope, trained_classes: [10] }, ...others] as typeof others;
    const pack = await aPack(
      { ...manifest, covariates },
      { ...files, 'training.f32': trainingFile(points) },
    );
    const found = await predictWindow(pack, whole, new Uint8Array(40 * 30).fill(1));
    expect(found.outsideApplicability).toBe(30 * 30);
  });

  it('lists the file of its training points among its files', async () => {
    expect(listDigestedFiles((await packWith(trainingFile(points))).manifest)).toContain(
      'training.f32',
    );
  });

  it.each([
    ['a missing point', trainingFile(points.slice(1)), '144 bytes'],
    [
      'a value that is not finite',
      trainingFile([[Number.NaN, 1, 1, 1], ...points.slice(1)]),
      'slope',
    ],
    [
      'only one distinct value of a weighted covariate',
      trainingFile(points.map(() => [1, 2, 3, 4])),
      'slope',
    ],
  ])('is rejected with %s', async (_, file, message) => {
    expect(await findFileProblems(await packWith(file))).toEqual([
      { field: 'applicability.href', message: expect.stringContaining(message) },
    ]);
  });

  it('is rejected without the file of its training points', async () => {
    expect(await findFileProblems(await aPack(manifest, files))).toMatchObject([
      { field: 'applicability.href', message: expect.stringContaining('training.f32') },
    ]);
  });
});
