import type Projection from 'ol/proj/Projection.js';
import { register } from 'ol/proj/proj4.js';
import { get, transformExtent } from 'ol/proj.js';
import proj4 from 'proj4';
import type { Model } from 'soil-batch-client';
import { type Bounds, boundsOf } from './bounds.ts';

/** Degrees around the coverage in which land and the graticule are drawn; farther away, projections may fold. */
const MARGIN = 20;
/** Some projections cannot show a pole. */
const HIGHEST_LATITUDE = 89.99;

/** Registers the service's definitions, because they include the datum shift. */
export function registerProjections(models: readonly Model[]): void {
  for (const { grid } of models) proj4.defs(grid.crs, grid.crs_proj4);
  register(proj4);
  for (const crs of new Set(models.map(({ grid }) => grid.crs))) {
    const projection = get(crs);
    if (projection === null) throw new Error(`${crs} is not registered`);
    // OpenLayers already knows the extents of WGS 84 in degrees and Web Mercator, which go all the way round the Earth.
    if (projection.isGlobal()) continue;
    const sharing = models.filter(({ grid }) => grid.crs === crs);
    const coverage = boundsOf(sharing.map((model) => model.coverage));
    const domain = addMargin(coverage ?? [-180, -85, 180, 85]);
    const [west, south, east, north] = domain;
    // OpenLayers writes extents across the antimeridian like this.
    projection.setWorldExtent([west, south, east > 180 ? east - 360 : east, north]);
    projection.setExtent(transformExtent([...domain], 'EPSG:4326', projection, 8));
  }
}

export function domainOf(projection: Projection): Bounds {
  const [west = -180, south = -90, east = 180, north = 90] = projection.getWorldExtent() ?? [];
  return [west, south, east < west ? east + 360 : east, north];
}

export function showsAll(
  projection: Projection | null,
  [west, south, east, north]: Bounds,
): boolean {
  if (projection === null) return false;
  const [left, bottom, right, top] = domainOf(projection);
  const isBetween = [-360, 0, 360].some((turn) => left <= west + turn && east + turn <= right);
  return (right - left >= 360 || isBetween) && bottom <= south && north <= top;
}

function addMargin([west, south, east, north]: Bounds): Bounds {
  const isWide = east - west + 2 * MARGIN >= 360;
  const turn = west - MARGIN < -180 ? 360 : 0;
  return [
    isWide ? -180 : west - MARGIN + turn,
    Math.max(south - MARGIN, -HIGHEST_LATITUDE),
    isWide ? 180 : east + MARGIN + turn,
    Math.min(north + MARGIN, HIGHEST_LATITUDE),
  ];
}
