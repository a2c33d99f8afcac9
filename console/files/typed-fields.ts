import { TEXTS } from '../texts.ts';
import {
  FileQuestion,
  FileRejected,
  type ReadField,
  type ReadFile,
  usable,
} from './file-fields.ts';
import { readGeoJson } from './geojson.ts';

/** Fields that were typed or pasted: GeoJSON, or a corner on each line. @throws FileRejected */
export function typedFields(text: string): ReadFile {
  const read = /^\s*[[{]/.test(text)
    ? typedGeoJson(text)
    : { fields: outlinesOf(text), skipped: 0 };
  return usable(TEXTS.paste.text, read);
}

function typedGeoJson(text: string): ReadFile {
  try {
    return readGeoJson(TEXTS.paste.text, text);
  } catch (error) {
    if (!(error instanceof FileQuestion)) throw error;
    throw new FileRejected(`${error.message.trim()} ${TEXTS.file.saveFirst}`, { cause: error });
  }
}

const CORNER = /^(-?\d+(?:\.\d+)?)(?:\s+|\s*[,;]\s*)(-?\d+(?:\.\d+)?)$/;

interface Corner {
  readonly line: number;
  readonly position: readonly [lon: number, lat: number];
}

/** Empty lines are between outlines. */
function outlinesOf(text: string): readonly ReadField[] {
  const outlines: Corner[][] = [[]];
  text.split(/\r?\n/).forEach((content, index) => {
    if (content.trim() === '') outlines.push([]);
    else outlines.at(-1)?.push({ line: index + 1, position: positionOf(content, index + 1) });
  });
  return outlines.filter(({ length }) => length > 0).map(fieldOf);
}

function positionOf(content: string, line: number): Corner['position'] {
  const [, lon = Number.NaN, lat = Number.NaN] = (CORNER.exec(content.trim()) ?? []).map(Number);
  const isPlace = Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
  if (!isPlace) throw new FileRejected(TEXTS.paste.corner(line));
  return [lon, lat];
}

/** The ring ends where it starts (RFC 7946, 3.1.6), whether or not that corner is repeated. */
function fieldOf(corners: readonly Corner[]): ReadField {
  const positions = corners.map(({ position }) => position);
  const [first] = positions;
  const last = positions.at(-1);
  const isClosed = positions.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1];
  const ring = isClosed || first === undefined ? positions : [...positions, first];
  if (ring.length < 4) throw new FileRejected(TEXTS.paste.few(corners[0]?.line ?? 1));
  return { name: null, polygon: { type: 'Polygon', coordinates: [ring] }, attributes: {} };
}
