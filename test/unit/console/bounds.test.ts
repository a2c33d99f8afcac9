import { describe, expect, it } from 'vitest';
import { boundsOf, computeCoveredBounds } from '../../../console/map/bounds.ts';
import { aBox } from '../../support/box.ts';

const models = [{ coverage: aBox(5, 50, 6, 51) }];

it('the bounds include fields that a model covers, but no other fields', () => {
  const fields = [aBox(5.1, 50.1, 5.2, 50.2), aBox(5.3, 50.3, 5.4, 50.4), aBox(-70, -30, -69, -29)];
  expect(computeCoveredBounds(fields, models)).toEqual([5.1, 50.1, 5.4, 50.4]);
});

it('the bounds include all fields if no model covers any', () => {
  const fields = [aBox(-70, -30, -69, -29), aBox(-68, -30, -67, -29)];
  expect(computeCoveredBounds(fields, models)).toEqual([-70, -30, -67, -29]);
});

describe('bounds across the antimeridian', () => {
  const west = aBox(178, -18, 180, -17);
  const east = aBox(-180, -18, -179, -16);

  it('continue beyond 180° if a coverage is split there', () => {
    expect(boundsOf([west, east])).toEqual([178, -18, 181, -16]);
    const cut = [west, east].map(({ coordinates }) => coordinates);
    expect(boundsOf([{ type: 'MultiPolygon', coordinates: cut }])).toEqual([178, -18, 181, -16]);
  });

  it('include only fields that a coverage next to the antimeridian meets', () => {
    const coverage = [{ coverage: aBox(-180, -18, -179, -16) }];
    const far = aBox(5, 50, 6, 51);
    expect(computeCoveredBounds([far, aBox(-180, -18, -179.5, -17)], coverage)).toEqual([
      -180, -18, -179.5, -17,
    ]);
  });

  it('are not used for a single polygon, however wide', () => {
    expect(boundsOf([aBox(-180, -60, 180, 85)])).toEqual([-180, -60, 180, 85]);
    expect(boundsOf([aBox(-170, -60, 170, 85)])).toEqual([-170, -60, 170, 85]);
    expect(boundsOf([aBox(-100.1, 40, -93.6, 42)])).toEqual([-100.1, 40, -93.6, 42]);
  });

  it('are null without a vertex', () => {
    expect(boundsOf([])).toBeNull();
    expect(boundsOf([{ type: 'Polygon', coordinates: [] }])).toBeNull();
  });
});
