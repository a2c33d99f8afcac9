import { ellipsoidalPerimeter } from '#engine/geometry/perimeter.ts';
import type { Position } from '#engine/geometry/polygon.ts';
import { transformOf } from '#engine/projection/transform.ts';

/** A rectangle in a CRS. */
export interface Extent {
  readonly west: number;
  readonly north: number;
  readonly width: number;
  readonly height: number;
}

/** Half of the part of the extent's edges that is measured: short enough to be straight, long enough to be exact. */
const FRACTION = 0.05;

/** Metres on the ground per CRS unit, eastward and northward, at the centre of the extent; NaN where the CRS has no image. */
export function groundScale(
  crs: { readonly proj4: string },
  { west, north, width, height }: Extent,
): { readonly east: number; readonly north: number } {
  const { inverse } = transformOf({ crs });
  const centre: Position = [west + width / 2, north - height / 2];
  const metres = (dx: number, dy: number): number =>
    lengthOf(inverse([centre[0] - dx, centre[1] - dy]), inverse([centre[0] + dx, centre[1] + dy])) /
    (2 * Math.hypot(dx, dy));
  return { east: metres(width * FRACTION, 0), north: metres(0, height * FRACTION) };
}

/** A ring there and back has twice the length. */
function lengthOf(from: Position, to: Position): number {
  // A grid may continue past the antimeridian, where the projection's longitudes jump.
  const lon = to[0] - 360 * Math.round((to[0] - from[0]) / 360);
  return ellipsoidalPerimeter([[[from, [lon, to[1]], from]]]) / 2;
}
