import { computeHectares } from './ellipsoid.ts';
import { toGeoJsonBox } from './geojson.ts';
import type { MultiPolygonRings, Position, Ring } from './polygon.ts';

export interface Overlap {
  /** The indexes of the two polygons, the smaller index first. */
  readonly pair: readonly [number, number];
  readonly hectares: number;
}

/** The work that comparisons may still take, in pairs of edges. */
export interface ComparisonBudget {
  steps: number;
}

/** About one second of CPU time. */
export const createComparisonBudget = (): ComparisonBudget => ({ steps: 12_000_000 });

/** The fixed cost of comparing two polygons, in pairs of edges. */
const PAIR_STEPS = 20;

/** The cost of sorting an edge, in pairs of edges. */
const EDGE_STEPS = 10;

/** A tenth of a square metre. Through rounding, neighbours with a common border may seem to share a smaller area. */
const LEAST_HECTARES = 1e-5;

/** West, south, east, north in degrees. */
type Box = readonly [number, number, number, number];

interface Placed {
  readonly index: number;
  readonly rings: MultiPolygonRings;
  readonly box: Box;
  spans: Spans | null;
}

/**
 * Finds the pairs of valid polygons that share area. Edges are straight in longitude and latitude.
 * Returns null if comparing edges uses up the budget.
 */
export function findOverlaps(
  polygons: readonly MultiPolygonRings[],
  budget: ComparisonBudget,
): readonly Overlap[] | null {
  const placed = polygons.map((rings, index): Placed => {
    const [west = 0, south = 0, east = 0, north = 0] = toGeoJsonBox(rings);
    return { index, rings, box: [west, south, east, north], spans: null };
  });
  placed.sort((a, b) => a.box[0] - b.box[0]);
  const overlaps: Overlap[] = [];
  for (const [i, a] of placed.entries()) {
    for (let j = i + 1; j < placed.length; j += 1) {
      const b = placed[j];
      if (b === undefined || b.box[0] >= a.box[2]) break;
      budget.steps -= 1;
      const box = intersectBoxes(a.box, b.box);
      if (box === null) continue;
      budget.steps -= PAIR_STEPS;
      a.spans ??= listSpans(a.rings, budget);
      b.spans ??= listSpans(b.rings, budget);
      const shared = computeSharedArea(a.spans, b.spans, budget);
      if (budget.steps <= 0) return null;
      const hectares = (shared * computeHectares([[toRing(box)]])) / areaOfBox(box);
      if (hectares < LEAST_HECTARES) continue;
      const [first, second] = [Math.min(a.index, b.index), Math.max(a.index, b.index)];
      overlaps.push({ pair: [first, second], hectares });
    }
  }
  return overlaps;
}

function intersectBoxes(a: Box, b: Box): Box | null {
  const [west, south] = [Math.max(a[0], b[0]), Math.max(a[1], b[1])];
  const [east, north] = [Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  return west < east && south < north ? [west, south, east, north] : null;
}

function toRing([west, south, east, north]: Box): Position[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

const areaOfBox = ([west, south, east, north]: Box): number => (east - west) * (north - south);

/**
 * A polygon's edges except those along a meridian, sorted by their western ends. Each edge has five numbers: the
 * longitude and latitude of its western end, then of its eastern end, and 1 if the polygon lies south of the edge or
 * −1 if it lies north.
 */
type Spans = Float64Array;

const SPAN_NUMBERS = 5;

function listSpans(polygon: MultiPolygonRings, budget: ComparisonBudget): Spans {
  const spans: (readonly number[])[] = [];
  for (const rings of polygon) {
    for (const [i, ring] of rings.entries()) {
      const eastward = (i === 0) === isClockwise(ring) ? 1 : -1;
      for (let k = 1; k < ring.length; k += 1) {
        const [start = [0, 0], end = [0, 0]] = [ring[k - 1], ring[k]];
        if (start[0] < end[0]) spans.push([...start, ...end, eastward]);
        if (start[0] > end[0]) spans.push([...end, ...start, -eastward]);
      }
    }
  }
  budget.steps -= spans.length * EDGE_STEPS;
  return Float64Array.from(spans.sort(([a = 0], [b = 0]) => a - b).flat());
}

function isClockwise(ring: Ring): boolean {
  const [[, y] = [0, 0]] = ring;
  let area = 0;
  for (let i = 1; i < ring.length; i += 1) {
    const [[x0, y0] = [0, 0], [x1, y1] = [0, 0]] = [ring[i - 1], ring[i]];
    area += (x1 - x0) * (y0 - y + (y1 - y));
  }
  return area > 0;
}

/**
 * Computes the shared area in square degrees. A polygon's area is the signed sum of the areas south of its
 * edges, so two polygons share the signed sum, over pairs of edges, of the areas south of both edges. The
 * result is meaningless if the budget is used up.
 */
function computeSharedArea(a: Spans, b: Spans, budget: ComparisonBudget): number {
  let area = 0;
  let first = 0;
  for (let i = 0; i < a.length && budget.steps > 0; i += SPAN_NUMBERS) {
    const [west, east, sign] = [a[i] ?? 0, a[i + 2] ?? 0, a[i + 4] ?? 0];
    while (first < b.length && (b[first + 2] ?? 0) <= west) first += SPAN_NUMBERS;
    let j = first;
    for (; j < b.length && (b[j] ?? 0) < east; j += SPAN_NUMBERS) {
      if ((b[j + 2] ?? 0) > west) area += sign * (b[j + 4] ?? 0) * computeAreaBelowBoth(a, i, b, j);
    }
    budget.steps -= 1 + (j - first) / SPAN_NUMBERS;
  }
  return area;
}

/** The area between the equator and the lower of two edges, over the longitudes that they share. */
function computeAreaBelowBoth(a: Spans, i: number, b: Spans, j: number): number {
  const from = Math.max(a[i] ?? 0, b[j] ?? 0);
  const to = Math.min(a[i + 2] ?? 0, b[j + 2] ?? 0);
  const [a0, a1] = [interpolateLatitude(a, i, from), interpolateLatitude(a, i, to)];
  const [b0, b1] = [interpolateLatitude(b, j, from), interpolateLatitude(b, j, to)];
  const [before, after] = [a0 - b0, a1 - b1];
  if (before * after >= 0) return ((to - from) * (Math.min(a0, b0) + Math.min(a1, b1))) / 2;
  const share = before / (before - after);
  const middle = a0 + share * (a1 - a0);
  const heights = share * (Math.min(a0, b0) + middle) + (1 - share) * (middle + Math.min(a1, b1));
  return ((to - from) * heights) / 2;
}

function interpolateLatitude(spans: Spans, at: number, x: number): number {
  const [west, south, east, north] = [
    spans[at] ?? 0,
    spans[at + 1] ?? 0,
    spans[at + 2] ?? 0,
    spans[at + 3] ?? 0,
  ];
  return south + ((north - south) * (x - west)) / (east - west);
}
