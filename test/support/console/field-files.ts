import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { makeFields } from '../fields.ts';

/** Paths of the same three fields, "veld 1" to "veld 3", in each format that the console reads. */
export function fieldFiles(): readonly string[] {
  const { folder, corners } = makeFields();
  const parts = ['shp', 'dbf', 'prj'].map((ending) => {
    const name = `25832.${ending}`;
    return [name, new Uint8Array(readFileSync(join(folder, name)))] as const;
  });
  writeFileSync(join(folder, '25832.zip'), zipSync(Object.fromEntries(parts)));
  const outlines = corners['25832'] ?? [];
  const features = outlines.map((outline, index) => ({
    type: 'Feature',
    id: `veld ${index + 1}`,
    properties: {},
    geometry: { type: 'Polygon', coordinates: [outline] },
  }));
  const collection = { type: 'FeatureCollection', features };
  writeFileSync(join(folder, '4326.geojson'), JSON.stringify(collection));
  const placemarks = outlines.map((outline, index) => {
    const ring = `<LinearRing><coordinates>${outline.join(' ')}</coordinates></LinearRing>`;
    return `<Placemark><name>veld ${index + 1}</name><Polygon><outerBoundaryIs>${ring}</outerBoundaryIs></Polygon></Placemark>`;
  });
  writeFileSync(join(folder, '4326.kml'), `<kml><Document>${placemarks.join('')}</Document></kml>`);
  return ['25832.gpkg', '25832.zip', '4326.geojson', '4326.kml'].map((name) => join(folder, name));
}
