import { TooManyPositions } from './wkb.ts';

// ESRI Shapefile Technical Description, July 1998.
const HEADER_BYTES = 100;
const RECORD_HEADER_BYTES = 8;
const WORD_BYTES = 2;
/** Shape types by the last digit of their code; codes from 10 have heights, and codes from 20 measures. */
const KINDS: Readonly<Record<number, string>> = {
  1: 'Point',
  3: 'LineString',
  5: 'Polygon',
  8: 'MultiPoint',
};
const MULTIPATCH = 31;

type Position = readonly number[];
type Ring = readonly Position[];

export interface Shape {
  readonly type: string;
  readonly coordinates: unknown;
}

/**
 * Reads the shapes of a .shp file in row order. The index says where each shape is, because an edited file
 * still contains replaced shapes. Without an index, every shape in the file is read in sequence.
 * @throws RangeError for a damaged file, and TooManyPositions
 */
export function* readShapes(
  shp: Uint8Array,
  shx: Uint8Array | undefined,
  mostPositions: number,
): Generator<Shape | null> {
  const view = new DataView(shp.buffer, shp.byteOffset, shp.byteLength);
  let positionsLeft = mostPositions;
  for (const at of shx === undefined ? findRecords(view) : readPlaces(shx)) {
    if (at === 0) {
      // Some programs mark a deleted shape like this.
      yield null;
      continue;
    }
    const bytes = WORD_BYTES * view.getInt32(at + 4);
    const start = at + RECORD_HEADER_BYTES;
    if (bytes < 4) throw new RangeError(`a shape at ${at} has ${bytes} bytes`);
    const shape = readShape(new DataView(view.buffer, view.byteOffset + start, bytes));
    positionsLeft -= shape?.positions ?? 0;
    if (positionsLeft < 0) throw new TooManyPositions();
    yield shape;
  }
}

function* findRecords(view: DataView): Generator<number> {
  let at = HEADER_BYTES;
  while (at + RECORD_HEADER_BYTES <= view.byteLength) {
    yield at;
    at += RECORD_HEADER_BYTES + WORD_BYTES * view.getInt32(at + 4);
  }
}

function* readPlaces(shx: Uint8Array): Generator<number> {
  const view = new DataView(shx.buffer, shx.byteOffset, shx.byteLength);
  for (
    let at = HEADER_BYTES;
    at + RECORD_HEADER_BYTES <= view.byteLength;
    at += RECORD_HEADER_BYTES
  ) {
    yield WORD_BYTES * view.getInt32(at);
  }
}

function readShape(view: DataView): (Shape & { readonly positions: number }) | null {
  const code = view.getInt32(0, true);
  if (code === 0) return null;
  const type = code === MULTIPATCH ? 'PolyhedralSurface' : KINDS[code % 10];
  if (type === undefined || code > MULTIPATCH) throw new RangeError(`a shape of type ${code}`);
  if (type === 'Point' || type === 'MultiPoint') return pointsIn(view, code);
  if (type !== 'Polygon' && type !== 'LineString') return { type, coordinates: [], positions: 0 };
  const [ringCount, pointCount] = [view.getInt32(36, true), view.getInt32(40, true)];
  const points = 44 + 4 * ringCount;
  if (ringCount < 0 || pointCount < 0 || points + 16 * pointCount > view.byteLength) {
    throw new RangeError(`a shape of ${ringCount} parts and ${pointCount} points`);
  }
  // If the shape has heights, their range and one height per point follow the points.
  const heights = points + 16 * pointCount + 16;
  const hasHeights = code > 10 && code < 20 && heights + 8 * pointCount <= view.byteLength;
  const starts = Array.from({ length: ringCount }, (_, ring) => view.getInt32(44 + 4 * ring, true));
  const rings = starts.map((start, ring) => {
    const end = starts[ring + 1] ?? pointCount;
    if (start < 0 || end < start || end > pointCount) throw new RangeError(`a ring from ${start}`);
    return Array.from({ length: end - start }, (_, index) => {
      const at = points + 16 * (start + index);
      const position = [view.getFloat64(at, true), view.getFloat64(at + 8, true)];
      if (hasHeights) position.push(view.getFloat64(heights + 8 * (start + index), true));
      return position;
    });
  });
  const shape = type === 'Polygon' ? makePolygon(rings) : makeLine(rings);
  return { ...shape, positions: pointCount };
}

function pointsIn(view: DataView, code: number): Shape & { readonly positions: number } {
  const isOne = code % 10 === 1;
  const positions = isOne ? 1 : view.getInt32(36, true);
  const start = isOne ? 4 : 40;
  if (positions < 0 || start + 16 * positions > view.byteLength) {
    throw new RangeError(`a shape of ${positions} points`);
  }
  // The heights of several points follow the range of the heights.
  const heights = start + 16 * positions + (isOne ? 0 : 16);
  const hasHeights = code > 10 && code < 20 && heights + 8 * positions <= view.byteLength;
  const coordinates = Array.from({ length: positions }, (_, index) => {
    const ats = [start + 16 * index, start + 16 * index + 8];
    return [...ats, ...(hasHeights ? [heights + 8 * index] : [])].map((at) =>
      view.getFloat64(at, true),
    );
  });
  return { type: 'MultiPoint', coordinates, positions };
}

function makeLine(parts: readonly Ring[]): Shape {
  return parts.length === 1
    ? { type: 'LineString', coordinates: parts[0] }
    : { type: 'MultiLineString', coordinates: parts };
}

function makePolygon(rings: readonly Ring[]): Shape {
  const polygons = groupRings(rings);
  return polygons.length > 1
    ? { type: 'MultiPolygon', coordinates: polygons }
    : { type: 'Polygon', coordinates: polygons[0] ?? [] };
}

interface MeasuredRing {
  readonly ring: Ring;
  /** Square units; negative for clockwise rings. */
  readonly area: number;
  readonly box: readonly [west: number, south: number, east: number, north: number];
}

/**
 * Groups rings into polygons. A Shapefile does not say which ring contains a hole, but outer rings and holes
 * turn in opposite directions. Some programs mix the directions up, so the largest ring always counts as an
 * outer ring, and so does a ring that turns like a hole but lies in no other ring
 * (https://github.com/qgis/QGIS/issues/54537). No ring is changed or dropped: the service explains what is
 * wrong with rings that meet.
 */
function groupRings(rings: readonly Ring[]): readonly (readonly Ring[])[] {
  if (rings.length < 2) return rings.map((ring) => [ring]);
  const measured = rings.map(measureRing);
  const largest = measured.reduce((a, b) => (Math.abs(b.area) > Math.abs(a.area) ? b : a));
  const isHole = ({ area }: MeasuredRing) => area * largest.area < 0;
  const polygons = new Map<MeasuredRing, Ring[]>();
  for (const one of measured) if (!isHole(one)) polygons.set(one, [one.ring]);
  const outers = [...polygons.keys()];
  for (const hole of measured.filter(isHole)) {
    const around = outers
      .filter((outer) => containsRing(outer, hole))
      .reduce<MeasuredRing | null>(
        (a, b) => (a === null || Math.abs(b.area) < Math.abs(a.area) ? b : a),
        null,
      );
    const polygon = around === null ? undefined : polygons.get(around);
    if (polygon === undefined) polygons.set(hole, [hole.ring]);
    else polygon.push(hole.ring);
  }
  return [...polygons.values()];
}

function measureRing(ring: Ring): MeasuredRing {
  let area = 0;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  const [x0 = Number.NaN, y0 = Number.NaN] = ring[0] ?? [];
  let [beforeX, beforeY] = [x0, y0];
  for (const [x = Number.NaN, y = Number.NaN] of ring) {
    // Compute relative to the first position, because large coordinates lose precision.
    area += ((beforeX - x0) * (y - y0) - (x - x0) * (beforeY - y0)) / 2;
    [west, south] = [Math.min(west, x), Math.min(south, y)];
    [east, north] = [Math.max(east, x), Math.max(north, y)];
    [beforeX, beforeY] = [x, y];
  }
  return { ring, area, box: [west, south, east, north] };
}

/** Whether a ring lies in another, judged by a corner that is not on the outer ring's edges. */
function containsRing(outer: MeasuredRing, { ring, box }: MeasuredRing): boolean {
  const [west, south, east, north] = outer.box;
  if (box[0] < west || box[1] < south || box[2] > east || box[3] > north) return false;
  for (const corner of ring) {
    const side = findSide(outer.ring, corner);
    if (side !== 'edge') return side === 'inside';
  }
  return true;
}

function findSide(
  ring: Ring,
  [x = Number.NaN, y = Number.NaN]: Position,
): 'inside' | 'outside' | 'edge' {
  let isInside = false;
  let [beforeX = Number.NaN, beforeY = Number.NaN] = ring.at(-1) ?? [];
  for (const [nextX = Number.NaN, nextY = Number.NaN] of ring) {
    const turn = (nextX - beforeX) * (y - beforeY) - (x - beforeX) * (nextY - beforeY);
    const isBetween =
      Math.min(beforeX, nextX) <= x &&
      x <= Math.max(beforeX, nextX) &&
      Math.min(beforeY, nextY) <= y &&
      y <= Math.max(beforeY, nextY);
    if (turn === 0 && isBetween) return 'edge';
    if (beforeY > y !== nextY > y && turn > 0 === nextY > beforeY) isInside = !isInside;
    [beforeX, beforeY] = [nextX, nextY];
  }
  return isInside ? 'inside' : 'outside';
}
