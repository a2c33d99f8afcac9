import { formatFileSize } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { type Choice, type FileFields, FileRejected, requireUsable } from './file-fields.ts';
import { MOST_BYTES } from './file-limits.ts';
import { fileText } from './file-text.ts';
import { readGeoJson } from './geojson.ts';

/** Parts of a Shapefile, which users may open one by one. */
const SHAPEFILE_PART = /\.(shp|shx|dbf|prj|cpg|qix|sbn|sbx)$/i;

/** Readers of formats other than GeoJSON are loaded with the first such file. @throws FileRejected */
export async function readFile(file: File, choice: Choice = {}): Promise<FileFields> {
  if (file.size > MOST_BYTES) {
    throw new FileRejected('too_large', TEXTS.file.tooLarge(file.name, formatFileSize(MOST_BYTES)));
  }
  // Reading a folder fails; its size differs between operating systems.
  const start = await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => null);
  if (start === null) throw new FileRejected('not_read', TEXTS.file.folder(file.name));
  if (start.byteLength === 0) throw new FileRejected('empty', TEXTS.file.empty(file.name));
  const content = new Uint8Array(await file.arrayBuffer());
  return requireUsable(file.name, await contentOf(file.name, content, choice));
}

async function contentOf(
  name: string,
  content: Uint8Array<ArrayBuffer>,
  choice: Choice,
): Promise<FileFields> {
  if (/\.(geo)?json$/i.test(name)) {
    const { text, remarks, questions } = fileText(name, content, 'utf-8', choice);
    const read = readGeoJson(name, text, choice);
    return { ...read, remarks: [...read.remarks, ...remarks], questions };
  }
  if (/\.gpkg$/i.test(name)) {
    const { readGeoPackage } = await import('./geopackage.ts');
    return readGeoPackage(name, content, choice);
  }
  if (/\.kml$/i.test(name)) {
    const { readKml } = await import('./kml.ts');
    return readKml(name, content, choice);
  }
  if (/\.(zip|kmz)$/i.test(name)) {
    const { findArchivedLayer: archivedLayer } = await import('./archive.ts');
    const layer = archivedLayer(name, content, choice);
    if (layer.kind === 'file') return contentOf(layer.name, layer.content, layer.choice);
    const { readShapefile } = await import('./shapefile.ts');
    return readShapefile(name, layer.parts, choice);
  }
  const isPart = SHAPEFILE_PART.test(name);
  throw new FileRejected('unknown_format', TEXTS.file[isPart ? 'shapefilePart' : 'unknown'](name));
}
