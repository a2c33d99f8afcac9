import { ellipsoidalHectares } from './ellipsoid.ts';
import { boxOf } from './geojson.ts';
import type { MultiPolygonRings, Position } from './polygon.ts';

/** Lines through the rectangle that two polygons share: an overlap of simple shape is within 2 %. */
const LINES = 32;

/** A pair takes as long as so many edges. */
const PAIR_STEPS = 600;

/** Edges and pairs visited before the comparison gives up: a second of CPU. */
const MAX_STEPS = 8_000_000;

/** West, south, east, north in degrees. */
type Box = readonly [number, number, number, number];

/**
 * Hectares that two of the polygons share, summed over all pairs; null if there are too many pairs, or edges in
 * them, to compare.
 */
export function overlapHectares(polygons: readonly MultiPolygonRings[]): number | null {
  const placed = polygons.map((rings) => {
    const [west = 0, south = 0, east = 0, north = 0] = boxOf(rings);
    return { rings, box: [west, south, east, north] as const };
  });
  placed.sort((a, b) => a.box[0] - b.box[0]);
  let hectares = 0;
  let steps = 0;
  for (const [i, { rings, box }] of placed.entries()) {
    for (const other of placed.slice(i + 1)) {
      if (other.box[0] >= box[2]) break;
      steps += 1;
      const shared = common(box, other.box);
      if (shared === null) continue;
      steps += edgesOf(rings) + edgesOf(other.rings) + PAIR_STEPS;
      if (steps > MAX_STEPS) return null;
      hectares += ellipsoidalHectares([[ringOf(shared)]]) * sharedPart(rings, other.rings, shared);
    }
  }
  return hectares;
}

/** Null if they share no area. */
function common(a: Box, b: Box): Box | null {
  const [west, south] = [Math.max(a[0], b[0]), Math.max(a[1], b[1])];
  const [east, north] = [Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  return west < east && south < north ? [west, south, east, north] : null;
}

function ringOf([west, south, east, north]: Box): Position[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

function edgesOf(polygon: MultiPolygonRings): number {
  return polygon.reduce((sum, rings) => sum + rings.reduce((all, ring) => all + ring.length, 0), 0);
}

/** The part of a box that lies in both polygons. */
function sharedPart(a: MultiPolygonRings, b: MultiPolygonRings, box: Box): number {
  const [ofA, ofB] = [crossings(a, box), crossings(b, box)];
  let length = 0;
  for (let line = 0; line < LINES; line += 1) length += sharedLength(ofA[line], ofB[line], box);
  return length / LINES / (box[2] - box[0]);
}

/** For each line through the box from west to east, where the polygon's edges cross it, in order. */
function crossings(polygon: MultiPolygonRings, [, south, , north]: Box): readonly number[][] {
  const lines: number[][] = Array.from({ length: LINES }, () => []);
  const step = (north - south) / LINES;
  const above = (y: number): number => Math.ceil((y - south) / step - 0.5);
  for (const ring of polygon.flat()) {
    for (let i = 1; i < ring.length; i += 1) {
      const [[x0, y0] = [0, 0], [x1, y1] = [0, 0]] = [ring[i - 1], ring[i]];
      if (y0 === y1) continue;
      const last = Math.min(above(Math.max(y0, y1)), LINES);
      for (let line = Math.max(above(Math.min(y0, y1)), 0); line < last; line += 1) {
        const y = south + (line + 0.5) * step;
        lines[line]?.push(x0 + ((y - y0) / (y1 - y0)) * (x1 - x0));
      }
    }
  }
  for (const line of lines) line.sort((left, right) => left - right);
  return lines;
}

/** Length in degrees that lies between crossings of both, which enter and leave in turn. */
function sharedLength(a: readonly number[] = [], b: readonly number[] = [], box: Box): number {
  let length = 0;
  let [i, j] = [0, 0];
  while (i + 1 < a.length && j + 1 < b.length) {
    const [endA, endB] = [a[i + 1] ?? 0, b[j + 1] ?? 0];
    const from = Math.max(a[i] ?? 0, b[j] ?? 0, box[0]);
    const to = Math.min(endA, endB, box[2]);
    length += Math.max(to - from, 0);
    if (endA < endB) i += 2;
    else j += 2;
  }
  return length;
}
