import { writeFileSync } from 'node:fs';

/** A triangle of 0.2 ha in the coverage of the default model. */
export function triangle(index = 0) {
  const lon = 5.736 + (index % 10) * 0.0004;
  const lat = 50.967 + Math.floor(index / 10) * 0.0004;
  return {
    type: 'Polygon' as const,
    coordinates: [
      [
        [lon, lat],
        [lon + 0.0006, lat],
        [lon + 0.0006, lat + 0.0006],
        [lon, lat],
      ],
    ],
  };
}

export const BOW_TIE = {
  type: 'Polygon' as const,
  coordinates: [
    [
      [5.735, 50.97],
      [5.745, 50.976],
      [5.745, 50.97],
      [5.735, 50.976],
      [5.735, 50.97],
    ],
  ],
};

interface TestField {
  readonly id: string;
  readonly geometry?: unknown;
}

/** Writes a GeoJSON file of fields with the attributes `id` and `crop`. */
export function writeFields(file: string, fields: readonly TestField[]): void {
  const features = fields.map(({ id, geometry }, index) => ({
    type: 'Feature',
    properties: { id, crop: index },
    geometry: geometry === undefined ? triangle(index) : geometry,
  }));
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features }));
}
