import type { Polygonal } from '../fields/field.ts';
import { boundsOf } from './bounds.ts';

/**
 * The most times that an outline may run across the width or height of its bounds. Far denser outlines take seconds to
 * draw at any scale.
 */
const MOST_PASSES = 1_000;

export function isDense(polygon: Polygonal): boolean {
  const [west, south, east, north] = boundsOf([polygon]) ?? [0, 0, 0, 0];
  const rings = polygon.type === 'Polygon' ? polygon.coordinates : polygon.coordinates.flat();
  const lengthAlong = (axis: 0 | 1) =>
    rings.reduce((sum, ring) => sum + measureLength(ring, axis), 0);
  return (
    lengthAlong(0) > MOST_PASSES * (east - west) || lengthAlong(1) > MOST_PASSES * (north - south)
  );
}

function measureLength(ring: readonly (readonly number[])[], axis: 0 | 1): number {
  let [length, before] = [0, ring[0]?.[axis] ?? Number.NaN];
  for (const { [axis]: at = Number.NaN } of ring) {
    length += Math.abs(at - before);
    before = at;
  }
  return length;
}
