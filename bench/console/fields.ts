import proj4 from 'proj4';
import type { Model } from 'soil-batch-client';

export type Position = readonly [x: number, y: number];

export interface BenchField {
  readonly name: string;
  readonly middle: Position;
  /** Without the first vertex again. */
  readonly vertices: readonly Position[];
}

/** Round fields in a grid. */
export function manyFields(count: number, vertices: number): readonly BenchField[] {
  return Array.from({ length: count }, (_, index) => {
    const middle = [
      5.724 + (index % 20) * 0.002,
      50.958 + Math.floor(index / 20) * 0.0015,
    ] as const;
    return round(`Field ${index + 1}`, middle, [0.0008, 0.0005], vertices);
  });
}

/** One large field, which covers others of the grid. */
export function largeField(vertices: number): BenchField {
  return round(`${vertices} vertices`, [5.743, 50.969], [0.015, 0.0095], vertices);
}

function round(name: string, middle: Position, radii: Position, count: number): BenchField {
  const vertices = Array.from({ length: count }, (_, index): Position => {
    const angle = (2 * Math.PI * index) / count;
    return [middle[0] + radii[0] * Math.cos(angle), middle[1] + radii[1] * Math.sin(angle)];
  });
  return { name, middle, vertices };
}

export function polygonOf({ vertices }: BenchField) {
  const ring = [...vertices, ...vertices.slice(0, 1)].map(([lon, lat]) => [lon, lat]);
  return { type: 'Polygon' as const, coordinates: [ring] };
}

export function fileOf(fields: readonly BenchField[]): Buffer {
  const features = fields.map((field) => ({
    type: 'Feature',
    properties: { name: field.name },
    geometry: polygonOf(field),
  }));
  return Buffer.from(JSON.stringify({ type: 'FeatureCollection', features }));
}

/** Where the map shows a position once it is fitted to fields, in pixels from its top left. */
export function pixelsOf(
  fields: readonly BenchField[],
  { grid }: Model,
  [width, height]: Position,
) {
  const { forward } = proj4('EPSG:4326', grid.crs_proj4);
  const all = fields.flatMap(({ vertices }) => vertices);
  const [lons, lats] = [all.map(([lon]) => lon), all.map(([, lat]) => lat)];
  // The map fits the box around the corners of the bounds, with 40 pixels on each side.
  const corners = [Math.min(...lons), Math.max(...lons)].flatMap((lon) =>
    [Math.min(...lats), Math.max(...lats)].map((lat) => forward([lon, lat])),
  );
  const [xs, ys] = [corners.map(([x = 0]) => x), corners.map(([, y = 0]) => y)];
  const [west, east] = [Math.min(...xs), Math.max(...xs)];
  const [south, north] = [Math.min(...ys), Math.max(...ys)];
  const resolution = Math.max((east - west) / (width - 80), (north - south) / (height - 80));
  return (position: Position): Position => {
    const [x = 0, y = 0] = forward([...position]);
    return [
      width / 2 + (x - (west + east) / 2) / resolution,
      height / 2 - (y - (south + north) / 2) / resolution,
    ];
  };
}
