import { join } from 'node:path';

/** Paths of files with three fields, "veld 1" to "veld 3", in each format that the console reads. */
export const FIELD_FILES = ['gpkg', 'zip', 'geojson', 'kml'].map((ending) =>
  join(import.meta.dirname, `../../fixtures/fields/three_fields.${ending}`),
);
