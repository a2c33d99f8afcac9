import { TEXTS } from '../texts.ts';
import { FileRefused, type ReadFile, readGeoJson } from './read-geojson.ts';

/** @throws FileRefused */
export async function readFile(file: File): Promise<ReadFile> {
  if (/\.(geo)?json$/i.test(file.name)) return readGeoJson(file.name, await file.text());
  throw new FileRefused(TEXTS.file.unknown(file.name));
}
