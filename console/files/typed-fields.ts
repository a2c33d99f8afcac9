import { TEXTS } from '../texts.ts';
import {
  type FileField,
  type FileFields,
  FileQuestion,
  FileRejected,
  requireUsable,
} from './file-fields.ts';
import { readGeoJson } from './geojson.ts';
import { LATITUDE_FIRST, type Place, parsePlace } from './place.ts';

/** Reads typed or pasted fields: GeoJSON, or one corner per line. @throws FileRejected */
export function readTypedFields(text: string): FileFields {
  const read = /^\s*[[{]/.test(text)
    ? readTypedGeoJson(text)
    : { fields: readOutlines(text), leftOut: [], remarks: [], questions: [] };
  return requireUsable(TEXTS.paste.text, read);
}

function readTypedGeoJson(text: string): FileFields {
  try {
    return readGeoJson(TEXTS.paste.text, text);
  } catch (error) {
    if (!(error instanceof FileQuestion)) throw error;
    const message = `${error.message.trim()} ${TEXTS.file.saveFirst}`;
    throw new FileRejected(error.fault, message, { cause: error });
  }
}

interface Corner {
  readonly line: number;
  readonly position: Place;
}

/** Empty lines separate the outlines. */
function readOutlines(text: string): readonly FileField[] {
  const outlines: Corner[][] = [[]];
  text.split(/\r?\n/).forEach((content, index) => {
    if (content.trim() === '') outlines.push([]);
    else outlines.at(-1)?.push({ line: index + 1, position: readPosition(content, index + 1) });
  });
  return outlines.filter(({ length }) => length > 0).map(makeField);
}

function readPosition(content: string, line: number): Place {
  const position = parsePlace(content, LATITUDE_FIRST);
  if (position === null) {
    throw new FileRejected('typed_wrong', TEXTS.paste.corner(line));
  }
  return position;
}

/**
 * Makes a field whose ring ends where it starts (RFC 7946, 3.1.6), whether or not the text repeats the first
 * corner.
 */
function makeField(corners: readonly Corner[]): FileField {
  const positions = corners.map(({ position }) => position);
  const [first] = positions;
  const last = positions.at(-1);
  const isClosed = positions.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1];
  const ring = isClosed || first === undefined ? positions : [...positions, first];
  if (ring.length < 4) {
    throw new FileRejected('typed_wrong', TEXTS.paste.few(corners[0]?.line ?? 1));
  }
  return { name: null, polygon: { type: 'Polygon', coordinates: [ring] }, attributes: {} };
}
