import { fileSize } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { type Choice, FileRejected, type ReadFile, usable } from './file-fields.ts';
import { MOST_BYTES } from './file-limits.ts';
import { readGeoJson } from './geojson.ts';

/** What a Shapefile consists of; users drop them one by one. */
const SHAPEFILE_PART = /\.(shp|shx|dbf|prj|cpg|qix|sbn|sbx)$/i;

/** Readers of formats other than GeoJSON are loaded with the first such file. @throws FileRejected */
export async function readFile(file: File, choice: Choice = {}): Promise<ReadFile> {
  if (file.size > MOST_BYTES) {
    throw new FileRejected(TEXTS.file.tooLarge(file.name, fileSize(MOST_BYTES)));
  }
  // The size of a folder differs by system, and reading it fails.
  const start = await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => null);
  if (start === null) throw new FileRejected(TEXTS.file.folder(file.name));
  if (start.byteLength === 0) throw new FileRejected(TEXTS.file.empty(file.name));
  return usable(file.name, await contentOf(file, choice));
}

async function contentOf(file: File, choice: Choice): Promise<ReadFile> {
  if (/\.(geo)?json$/i.test(file.name)) {
    return readGeoJson(file.name, await file.text(), choice);
  }
  if (/\.gpkg$/i.test(file.name)) {
    const { readGeoPackage } = await import('./geopackage.ts');
    return readGeoPackage(file.name, new Uint8Array(await file.arrayBuffer()), choice);
  }
  if (/\.kml$/i.test(file.name)) {
    const { readKml } = await import('./kml.ts');
    return readKml(file.name, new Uint8Array(await file.arrayBuffer()), choice);
  }
  if (/\.zip$/i.test(file.name)) {
    const { readZippedShapefile } = await import('./shapefile.ts');
    return readZippedShapefile(file.name, new Uint8Array(await file.arrayBuffer()), choice);
  }
  const isPart = SHAPEFILE_PART.test(file.name);
  throw new FileRejected(TEXTS.file[isPart ? 'shapefilePart' : 'unknown'](file.name));
}
