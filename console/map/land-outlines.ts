import TopoJSON from 'ol/format/TopoJSON.js';
import MultiLineString from 'ol/geom/MultiLineString.js';
import MultiPolygon from 'ol/geom/MultiPolygon.js';
import Polygon from 'ol/geom/Polygon.js';
import { arcs, objects, transform } from 'world-atlas/countries-50m.json';
import { clipRing, unwrapLongitude } from '#engine/raster/grid/clip.ts';
import type { Bounds } from './bounds.ts';

type Position = readonly [lon: number, lat: number];
type Line = readonly Position[];

const TURN = 360;
/** In degrees. A longer edge would look straight where parallels are curved. */
const LONGEST_EDGE = 2;

const { land, lines } = readAtlas();

/** Natural Earth's land, coasts and borders, and the sea below them, within bounds in degrees. */
export function findOutlines(bounds: Bounds) {
  const [west, south, east, north] = bounds;
  const frame: Line = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return {
    sea: new Polygon([copyPlaces(densifyRing(frame))]),
    land: new MultiPolygon(
      land
        .flatMap((rings) => clipPolygon(rings, bounds))
        .map((rings) => rings.map((ring) => copyPlaces(densifyRing(ring)))),
    ),
    border: new MultiLineString(lines.flatMap((line) => clipLine(line, bounds)).map(copyPlaces)),
  };
}

function readAtlas(): {
  readonly land: readonly (readonly Line[])[];
  readonly lines: readonly Line[];
} {
  // Each arc is a coast or a border, and appears once: together the arcs outline all countries.
  const outlines = { type: 'MultiLineString', arcs: arcs.map((_, index) => [index]) };
  const features = new TopoJSON().readFeatures({
    type: 'Topology',
    transform,
    arcs,
    objects: { land: objects.land, outlines },
  });
  const geometries = features.map((feature) => feature.getGeometry());
  return {
    land: geometries
      .filter((geometry) => geometry instanceof MultiPolygon)
      .flatMap((geometry) => geometry.getCoordinates())
      .map((rings) => rings.map((ring) => closeAlongPole(unwrapLine(ring)))),
    lines: geometries
      .filter((geometry) => geometry instanceof MultiLineString)
      .flatMap((geometry) => geometry.getCoordinates())
      .map(unwrapLine),
  };
}

/** The atlas splits outlines at 180°; here their longitudes continue past it. */
function unwrapLine(line: readonly number[][]): Line {
  let before = line[0]?.[0] ?? 0;
  return line.map(([lon = 0, lat = 0]) => {
    before = unwrapLongitude(lon, before);
    return [before, lat];
  });
}

/** A ring that ends 360° from its start goes around a pole: close it along the pole. */
function closeAlongPole(ring: Line): Line {
  const [first] = ring;
  const last = ring.at(-1);
  if (first === undefined || last === undefined || Math.abs(last[0] - first[0]) < 1) return ring;
  const pole = 90 * Math.sign(first[1]);
  return [...ring, [last[0], pole], [first[0], pole], first];
}

/** A polygon that leaves the bounds in the west or east may enter them again on the other side. */
function clipPolygon(rings: readonly Line[], bounds: Bounds): readonly (readonly Line[])[] {
  return findTurns(rings[0] ?? [], bounds)
    .map((turn) =>
      rings
        .map((ring) => clipRing(shiftLine(ring, turn), bounds))
        .filter(({ length }) => length > 0),
    )
    .filter(({ length }) => length > 0);
}

/** The shifts, by whole turns of 360°, that may bring a part of the line within the bounds. */
function findTurns(line: Line, [west, , east]: Bounds): readonly number[] {
  let [first, last] = [Infinity, -Infinity];
  for (const [lon] of line) [first, last] = [Math.min(first, lon), Math.max(last, lon)];
  return [-TURN, 0, TURN].filter((turn) => first + turn <= east && west <= last + turn);
}

function clipLine(line: Line, bounds: Bounds): readonly Line[] {
  const [west, south, east, north] = bounds;
  return findTurns(line, bounds).flatMap((turn) => {
    const pieces: Position[][] = [[]];
    let before: Position | null = null;
    for (const place of shiftLine(line, turn)) {
      const [lon, lat] = place;
      const isWithin = west <= lon && lon <= east && south <= lat && lat <= north;
      // The atlas cuts some islands in two at the antimeridian; the cut is not a coast.
      const isCut = before !== null && isAntimeridian(before) && isAntimeridian(place);
      if (!isWithin || isCut) pieces.push([]);
      if (isWithin) pieces.at(-1)?.push(place);
      before = place;
    }
    return pieces.filter(({ length }) => length > 1);
  });
}

function isAntimeridian([lon]: Position): boolean {
  return Math.abs(Math.abs(lon) - TURN / 2) < 1e-6;
}

function shiftLine(line: Line, turn: number): Line {
  return turn === 0 ? line : line.map(([lon, lat]) => [lon + turn, lat]);
}

const copyPlaces = (line: Line) => line.map((place) => [...place]);

function densifyRing(ring: Line): Line {
  const dense: Position[] = [];
  let from = ring[0] ?? [0, 0];
  for (const to of ring) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const steps = Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / LONGEST_EDGE);
    for (let step = 1; step < steps; step++) {
      dense.push([from[0] + (step / steps) * dx, from[1] + (step / steps) * dy]);
    }
    dense.push(to);
    from = to;
  }
  return dense;
}
