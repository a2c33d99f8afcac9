import { type Attributes, asName, type Polygonal } from '../fields/field.ts';
import { verticesOf } from '../map/bounds.ts';
import { TEXTS } from '../texts.ts';
import { MOST_FIELDS, MOST_VERTICES } from './file-limits.ts';

/** A file may name its reference system in megabytes. */
const MOST_CHARACTERS = 500;

/** A file that can't be used; the message is for the user. */
export class FileRejected extends Error {
  override readonly name = 'FileRejected';

  constructor(message: string, options?: ErrorOptions) {
    super(message.slice(0, MOST_CHARACTERS), options);
  }
}

/** What the user says about a file, as far as it does not say so itself. */
export interface Choice {
  readonly layer?: string;
  /** The reference system as an EPSG code. */
  readonly crs?: number;
}

/** What a file does not say. */
export type Question =
  | { readonly kind: 'layer'; readonly layers: readonly string[] }
  | { readonly kind: 'crs' };

/** A file that can be used once its user has answered. */
export class FileQuestion extends FileRejected {
  constructor(
    message: string,
    readonly question: Question,
  ) {
    super(message);
  }
}

export function askForLayer(fileName: string, layers: readonly string[]): FileQuestion {
  return new FileQuestion(TEXTS.file.layers(fileName, layers), { kind: 'layer', layers });
}

/**
 * The layer that the user has chosen, or the only one.
 * @throws FileQuestion if there are several
 */
export function chosenLayer<Layer extends { readonly name: string }>(
  fileName: string,
  layers: readonly Layer[],
  { layer: wanted }: Choice,
): Layer {
  const candidates = layers.filter(({ name }) => wanted === undefined || name === wanted);
  const [layer] = candidates;
  if (layer === undefined) throw new FileRejected(TEXTS.file.noFields(fileName));
  if (candidates.length === 1) return layer;
  throw askForLayer(
    fileName,
    layers.map(({ name }) => name),
  );
}

/** A field as a file has it. */
export interface ReadField {
  readonly name: string | null;
  /** It is null if the file has none, or an empty one: the service then fails the job. */
  readonly polygon: Polygonal | null;
  readonly attributes: Attributes;
}

/** A feature as a file has it, unchecked. */
export interface Candidate {
  readonly geometry: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The name of a feature without an attribute that names it. */
  readonly id?: unknown;
}

export interface ReadFile {
  readonly fields: readonly ReadField[];
  /** Features that are no polygons, such as points. */
  readonly skipped: number;
}

/** Attributes that commonly name a field. */
const NAMES = ['name', 'naam', 'title', 'label', 'field', 'id', 'fid', 'objectid'];

/** The name that the attributes of a field give it; null without one. */
function nameOf({ attributes, id }: Candidate): string | null {
  const byName = new Map(
    Object.entries(attributes).map(([key, value]) => [key.toLowerCase(), value]),
  );
  const values = [...NAMES.map((key) => byName.get(key)), id];
  return values.map(asName).find((name) => name !== null) ?? null;
}

/** The attributes that JSON and a table can hold: geometries and nested values stay behind. */
function plain(attributes: Candidate['attributes']): Attributes {
  const entries = Object.entries(attributes).map(
    ([key, value]) => [key, value instanceof Date ? dayOf(value) : value] as const,
  );
  return Object.fromEntries(entries.filter(isPlain));
}

type PlainEntry = readonly [string, Attributes[string]];

function isPlain(entry: readonly [string, unknown]): entry is PlainEntry {
  const [, value] = entry;
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** A Shapefile's dates have no time. */
function dayOf(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10);
}

/**
 * The service validates rings and vertices, and says what is wrong with each. `1e999` in JSON is
 * infinite, which the map can not draw and a request can not hold.
 */
export function isPolygonal(value: unknown): value is Polygonal {
  const { type, coordinates } = Object(value);
  if (type === 'Polygon') return isNested(2, coordinates);
  return type === 'MultiPolygon' && isNested(3, coordinates);
}

function isNested(depth: number, part: unknown): boolean {
  if (!Array.isArray(part) || part.length === 0) return false;
  return part.every((inner) => (depth === 0 ? Number.isFinite(inner) : isNested(depth - 1, inner)));
}

/** Whether a polygon, or any geometry, is missing: among fields that is a field, whose job fails. */
function isEmpty(geometry: unknown): boolean {
  if (geometry === null || geometry === undefined) return true;
  const { type, coordinates = [] } = Object(geometry);
  if (type !== 'Polygon' && type !== 'MultiPolygon') return false;
  return Array.isArray(coordinates) && coordinates.length === 0;
}

/** @throws FileRejected if there are none, or so many that they would stop the page */
export function usable(name: string, read: ReadFile): ReadFile {
  const { fields } = read;
  const polygons = fields.map(({ polygon }) => polygon).filter((polygon) => polygon !== null);
  if (polygons.length === 0) throw new FileRejected(TEXTS.file.noFields(name));
  const vertices = polygons.reduce((sum, polygon) => sum + verticesOf(polygon).length, 0);
  if (fields.length > MOST_FIELDS || vertices > MOST_VERTICES) {
    throw new FileRejected(TEXTS.file.tooMany(name, MOST_FIELDS, MOST_VERTICES));
  }
  return read;
}

/** Turns the polygons of a file into degrees of WGS 84. */
export type ToWgs84 = (polygon: Polygonal) => Polygonal;

/** The fields among candidates; features of other geometry are counted. */
export function fieldsAmong(candidates: readonly Candidate[], convert: ToWgs84): ReadFile {
  const fields = candidates.flatMap((candidate): readonly ReadField[] => {
    const { geometry, attributes } = candidate;
    if (!isPolygonal(geometry) && !isEmpty(geometry)) return [];
    const polygon = isPolygonal(geometry) ? convert(bare(geometry)) : null;
    return [{ name: nameOf(candidate), polygon, attributes: plain(attributes) }];
  });
  return { fields, skipped: candidates.length - fields.length };
}

/** A polygon without the other members that a file may give it. */
function bare({ type, coordinates }: Polygonal): Polygonal {
  return { type, coordinates } as Polygonal;
}
