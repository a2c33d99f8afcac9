import { describe, expect, it } from 'vitest';
import { parsePlan, planItem } from '../../../lambdas/adapters/dynamodb/plan-item.ts';
import { aPlan, PACK_SHA256 } from '../../support/domain/builders.ts';

const YEARS: [number, number] = [2015, 2019];

describe('a stored plan', () => {
  it.each([
    ['by cell centres', aPlan()],
    [
      'with a map of a period, and versions of files at URLs',
      {
        ...aPlan(),
        years: YEARS,
        covariateFiles: [
          { covariate: 'mean', size: 9, etag: 'W/"a"' },
          { covariate: 'p16', size: 8 },
        ],
      },
    ],
    ['of a polygon that only touches cells', { ...aPlan(), rule: 'touched' as const }],
    ['of a polygon of which some parts only touch cells', { ...aPlan(), touchedParts: [0, 7] }],
  ])('is read back as it was written: %s', (_, plan) => {
    expect(parsePlan(JSON.parse(JSON.stringify(planItem(plan))))).toEqual(plan);
  });

  it.each(['centre', 'touched'] as const)(
    'has no parts if one rule applies to the whole polygon: %s',
    (rule) => {
      const item = {
        model: 'meuse-soc@1.0.0',
        pack_sha256: PACK_SHA256,
        window: { col: 0, row: 0, width: 128, height: 128 },
        rule,
        block_tiles: 1,
        blocks: [[0, 0, 0, 128, 128, 100]],
      };
      expect(parsePlan(item)).toEqual({ ...aPlan(1), rule });
      expect(planItem({ ...aPlan(1), rule })).toEqual(item);
    },
  );

  it('stays far below the 400 KB of an item, even with as many small parts as a job can have', () => {
    const touchedParts = Array.from({ length: 3_333 }, (_, part) => part);
    expect(JSON.stringify(planItem({ ...aPlan(400), touchedParts })).length).toBeLessThan(40_000);
  });
});
