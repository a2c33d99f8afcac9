import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createApplicabilityTest } from '../../../engine/model/applicability/applicability.ts';
import type { Covariate } from '../../../engine/model/pack/manifest.ts';
import { runCheck } from '../raster/run-check.ts';

const dataSets = z.array(
  z.object({
    applicability: z.object({
      points: z.int(),
      weights: z.array(z.number()),
      mean_distance: z.number(),
      threshold: z.number(),
    }),
    factors: z.array(z.int()),
    file: z.base64(),
    cells: z.array(z.array(z.number())),
    inside: z.array(z.boolean()),
  }),
);

const covariate = (name: string, isFactor: boolean): Covariate => ({
  ...{ kind: 'raster', name, description: name, unit: null, href: `${name}.tif`, band: 1 },
  ...(isFactor ? { trained_classes: [1] } : {}),
});

const found = dataSets.parse(await runCheck('check_applicability.py', []));

describe('the area of applicability', () => {
  it.each(found)(
    'with $applicability.points points contains the same cells as found by plain loops',
    (set) => {
      const { applicability, factors, file, cells, inside } = set;
      const covariates = applicability.weights.map((_, i) =>
        covariate(`covariate${i}`, factors.includes(i)),
      );
      const declared = { ...applicability, href: 'training.f32', how: 'by hand' };
      const isApplicable = createApplicabilityTest(
        declared,
        covariates,
        Buffer.from(file, 'base64'),
      );
      expect(cells.map((cell) => isApplicable(cell, 0))).toEqual(inside);
      const share = inside.filter(Boolean).length / inside.length;
      expect(share).toBeGreaterThan(0.2);
      expect(share).toBeLessThan(0.8);
      // The result does not depend on the previous cell.
      const backwards = cells.toReversed().map((cell) => isApplicable(cell, 0));
      expect(backwards.reverse()).toEqual(inside);
    },
  );
});
