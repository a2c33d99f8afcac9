import { describe, expect, it } from 'vitest';
import { findCoverageOffGrid } from '../../../../engine/model/pack/coverage-off-grid.ts';
import { manifestSchema } from '../../../../engine/model/pack/manifest.ts';
import { aBox } from '../../../support/box.ts';
import { aManifest } from '../../../support/model/builders.ts';

const problemsOf = (changes: Parameters<typeof aManifest>[0]) =>
  findCoverageOffGrid(manifestSchema.parse(aManifest(changes)));

// The grid covers 400 m × 300 m at 3° E, 50.55° N.
describe('a coverage', () => {
  it.each([
    ['around the grid', aBox(3, 50.54, 3.006, 50.56)],
    ['inside the grid', aBox(3.002, 50.55, 3.003, 50.551)],
    ['far wider than the grid', aBox(-10, 40, 20, 60)],
    [
      'in several parts, one of which contains the grid',
      {
        type: 'MultiPolygon' as const,
        coordinates: [aBox(20, 50, 21, 51).coordinates, aBox(2, 50, 4, 51).coordinates],
      },
    ],
  ])('may lie %s', (_, coverage) => {
    expect(problemsOf({ coverage })).toEqual([]);
  });

  it('is rejected with the position of the grid if its latitudes come first', () => {
    expect(problemsOf({ coverage: aBox(50.53, 3, 50.55, 3.006) })).toEqual([
      {
        field: 'coverage',
        message: expect.stringMatching(/lon 3\.00\d+, lat 50\.5\d+ .* \[longitude, latitude\]/),
      },
    ]);
  });

  it('does not cover a grid in its hole', () => {
    const coordinates = [
      ...aBox(2, 50, 4, 51).coordinates,
      ...aBox(2.9, 50.5, 3.1, 50.6).coordinates,
    ];
    expect(problemsOf({ coverage: { type: 'Polygon', coordinates } })).toHaveLength(1);
  });

  it('may lie beyond the antimeridian if the grid crosses it', () => {
    const grid = {
      ...aManifest().grid,
      crs: { epsg: 4326, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84' },
      origin: [178, -16] as [number, number],
      cell_size: 0.1,
    };
    expect(problemsOf({ grid, coverage: aBox(-180, -19, -179, -18) })).toEqual([]);
    expect(problemsOf({ grid, coverage: aBox(-170, -19, -169, -18) })).toHaveLength(1);
  });
});
