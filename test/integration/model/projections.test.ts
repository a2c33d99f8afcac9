import { describe, expect, it } from 'vitest';
import { PROJECTIONS } from '../../../engine/projection/projections.ts';
import { transformOfGrid } from '../../../engine/projection/transform.ts';

/** All parameters of the projections together. */
const PARAMETERS =
  '+lat_0=40 +lat_1=45 +lat_2=55 +lat_ts=50 +lon_0=6 +lonc=6 +alpha=30 +gamma=30 +zone=32 +k=0.9996 +ellps=bessel +towgs84=565.4,50.3,465.6 +units=m +no_defs';

/** proj4 (2.22) subtracts the false origin of a sinusoidal projection but never adds it, so only 0 works. */
const falseOriginOf = (projection: string) =>
  projection === 'sinu' ? '+x_0=0 +y_0=0' : '+x_0=155000 +y_0=463000';

function transformIn(projection: string) {
  const proj4 = `+proj=${projection} ${falseOriginOf(projection)} ${PARAMETERS}`;
  return transformOfGrid({ crs: { proj4 } });
}

describe('a projection that packs may use', () => {
  it.each(PROJECTIONS)('projects forward and back: %s', (name) => {
    const { forward, inverse } = transformIn(name);
    const [lon, lat] = inverse(forward([7.25, 47.5]));
    expect(lon).toBeCloseTo(7.25, 5);
    expect(lat).toBeCloseTo(47.5, 5);
  });
});
