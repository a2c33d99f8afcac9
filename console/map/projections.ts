import { register } from 'ol/proj/proj4.js';
import { get, transformExtent } from 'ol/proj.js';
import proj4 from 'proj4';
import type { Model } from 'soil-batch-client';

/** Degrees around the coverage in which the graticule is drawn. */
const MARGIN = 5;

/**
 * Makes the models' coordinate reference systems known to the map. The definitions come from the service,
 * because they carry the datum shift: by its EPSG code alone, a system such as RD New is 100 m off.
 */
export function registerProjections(models: readonly Model[], boundsOf: (model: Model) => Bounds) {
  for (const { grid } of models) proj4.defs(grid.crs, grid.crs_proj4);
  register(proj4);
  for (const model of models) {
    const projection = get(model.grid.crs);
    if (projection === null) throw new Error(`${model.grid.crs} is not registered`);
    const [west, south, east, north] = boundsOf(model);
    const world = [
      Math.max(west - MARGIN, -180),
      Math.max(south - MARGIN, -85),
      Math.min(east + MARGIN, 180),
      Math.min(north + MARGIN, 85),
    ];
    projection.setWorldExtent(world);
    projection.setExtent(transformExtent(world, 'EPSG:4326', projection, 8));
  }
}

/** West, south, east, north, in degrees. */
export type Bounds = readonly [number, number, number, number];
