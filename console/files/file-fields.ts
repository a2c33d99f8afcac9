import { type Attributes, type Field, type Polygonal, parseName } from '../fields/field.ts';
import { verticesOf } from '../map/bounds.ts';
import { TEXTS } from '../texts.ts';
import { MOST_FIELDS, MOST_VERTICES } from './file-limits.ts';
import { type Area, isListed, isPolygonal, type LeftOutFeature, outlineOf } from './outline.ts';

/** Messages are cut to this length, because the names that they quote from a file may be megabytes long. */
const MOST_CHARACTERS = 500;

export type FileFault =
  | 'crs_conflict'
  | 'crs_needed'
  | 'crs_unusable'
  | 'damaged'
  | 'empty'
  | 'encoding_unknown'
  | 'geometries_several'
  | 'layer_needed'
  | 'layer_unknown'
  | 'no_polygons'
  | 'not_read'
  | 'points_unusable'
  | 'radius_needed'
  | 'too_large'
  | 'typed_wrong'
  | 'unknown_format';

/** A file that cannot be used; the message is for the user. */
export class FileRejected extends Error {
  override readonly name = 'FileRejected';

  constructor(
    readonly fault: FileFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message.slice(0, MOST_CHARACTERS), options);
  }
}

/** A file without fields, though perhaps with other features. */
export class NoFields extends FileRejected {
  constructor(
    name: string,
    readonly leftOut: readonly LeftOutFeature[] = [],
  ) {
    const others = leftOut.length === 0 ? '' : ` ${TEXTS.file.leftOut(name, leftOut)}`;
    super('no_polygons', `${TEXTS.file.noFields(name)}${others}`);
  }
}

export interface Choice {
  readonly layer?: string;
  readonly crs?: number;
  /** The text encoding, as a label of the Encoding Standard. */
  readonly encoding?: string;
  /** The radius of discs around points, in metres. */
  readonly buffer?: number;
}

export type MissingInformation =
  | { readonly kind: 'layer'; readonly layers: readonly string[] }
  | { readonly kind: 'crs' }
  | { readonly kind: 'radius' };

/** Something that a file does not state, or states wrongly. */
export type Question = MissingInformation | { readonly kind: 'encoding' };

export class FileQuestion extends FileRejected {
  constructor(
    message: string,
    readonly question: MissingInformation,
  ) {
    super(`${question.kind}_needed`, message);
  }
}

/**
 * @param namesOf the names by which a layer can be chosen
 * @throws FileQuestion if several layers can be meant; FileRejected if none can
 */
export function chooseLayer<Layer extends { readonly name: string }>(
  fileName: string,
  layers: readonly Layer[],
  { layer: wanted }: Choice,
  namesOf = (name: string): readonly string[] => [name],
): Layer {
  const names = layers.map(({ name }) => name);
  const candidates = layers.filter(
    ({ name }) => wanted === undefined || namesOf(name).includes(wanted),
  );
  const [layer] = candidates;
  if (layer !== undefined && candidates.length === 1) return layer;
  if (layers.length === 0) throw new NoFields(fileName);
  if (layer === undefined) {
    throw new FileRejected('layer_unknown', TEXTS.file.noLayer(fileName, wanted ?? '', names));
  }
  throw new FileQuestion(TEXTS.file.layers(fileName, names), { kind: 'layer', layers: names });
}

export type FileField = Omit<Field, 'id' | 'name'> & { readonly name: string | null };

export interface Candidate {
  readonly geometry: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Remark {
  readonly kind: 'edits' | 'encoding' | 'heights' | 'links' | 'not_finite' | 'parts_ignored';
  readonly message: string;
}

export interface FileFields {
  readonly fields: readonly FileField[];
  readonly leftOut: readonly LeftOutFeature[];
  readonly remarks: readonly Remark[];
  /** Questions that already have an answer, which the user may change. */
  readonly questions: readonly Question[];
}

/** Attributes that commonly name a field, the best first. */
const NAMES = ['name', 'naam', 'title', 'label', 'field', 'id', 'fid', 'objectid'];

function findName({ attributes }: Candidate): string | null {
  const byName = new Map<string, string>();
  for (const [key, value] of Object.entries(attributes)) {
    const name = parseName(value);
    // If attribute names differ only in case, the first one counts.
    if (name !== null && !byName.has(key.toLowerCase())) byName.set(key.toLowerCase(), name);
  }
  return NAMES.map((key) => byName.get(key)).find((name) => name !== undefined) ?? null;
}

/** Keeps attributes that JSON and a table can hold, without geometries and nested values. */
function pickPlainAttributes(attributes: Candidate['attributes']): Attributes {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(attributes);
  return Object.fromEntries(entries.filter(isPlain));
}

type PlainEntry = readonly [string, Attributes[string]];

function isPlain(entry: readonly [string, unknown]): entry is PlainEntry {
  const [, value] = entry;
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** @throws FileRejected if there are no fields, or so many fields or vertices that the page would freeze */
export function requireUsable(name: string, read: FileFields): FileFields {
  const { fields, leftOut } = read;
  if (fields.every(({ polygon, malformed }) => polygon === null && malformed === undefined)) {
    throw new NoFields(name, leftOut);
  }
  const vertices = fields.reduce(
    (sum, { polygon }) => sum + (polygon === null ? 0 : verticesOf(polygon).length),
    0,
  );
  if (fields.length > MOST_FIELDS || vertices > MOST_VERTICES) throw tooManyError(name);
  return read;
}

export function tooManyError(name: string): FileRejected {
  return new FileRejected('too_large', TEXTS.file.tooMany(name, MOST_FIELDS, MOST_VERTICES));
}

export type ToWgs84 = (polygon: Polygonal) => Polygonal;

/**
 * Selects the fields among candidates: features with an area, or without any geometry. Nothing is repaired,
 * because the service explains what is wrong with an outline.
 */
export function selectAreas(
  fileName: string,
  candidates: readonly Candidate[],
  convert: ToWgs84,
): FileFields {
  const fields: FileField[] = [];
  const leftOut: LeftOutFeature[] = [];
  const ignored: number[] = [];
  const notFinite: number[] = [];
  const infiniteAttributes: number[] = [];
  let hasHeights = false;
  candidates.forEach((candidate, index) => {
    const row = index + 1;
    const name = findName(candidate);
    const outline = outlineOf(candidate.geometry);
    if (outline.kind !== 'area' && outline.kind !== 'none') {
      leftOut.push({ row, name, kind: outline.kind });
      return;
    }
    const attributes = pickPlainAttributes(candidate.attributes);
    if (Object.values(candidate.attributes).some(isNonFinite)) infiniteAttributes.push(row);
    if (outline.kind === 'none') {
      fields.push({ name, polygon: null, attributes });
      return;
    }
    if (outline.hasOthers) ignored.push(row);
    hasHeights ||= hasHeight(outline.area.coordinates);
    const drawn = convertArea(outline.area, convert);
    if (drawn.malformed !== undefined && hasNonFinite(drawn.malformed)) notFinite.push(row);
    fields.push({ name, ...drawn, attributes });
  });
  const remarks = [
    remarkIf(ignored.length > 0, 'parts_ignored', TEXTS.file.partsIgnored(fileName, ignored)),
    remarkIf(notFinite.length > 0, 'not_finite', TEXTS.file.notFinite(fileName, notFinite)),
    remarkIf(
      infiniteAttributes.length > 0,
      'not_finite',
      TEXTS.file.infiniteAttributes(fileName, infiniteAttributes),
    ),
    remarkIf(hasHeights, 'heights', TEXTS.file.heights(fileName)),
  ].flat();
  return { fields, leftOut, remarks, questions: [] };
}

function remarkIf(is: boolean, kind: Remark['kind'], message: string): readonly Remark[] {
  return is ? [{ kind, message }] : [];
}

function convertArea(area: Area, convert: ToWgs84): Pick<FileField, 'polygon' | 'malformed'> {
  const converted = isListed(area) ? convert(flattenPolygon(area)) : area;
  return isPolygonal(converted) ? { polygon: converted } : { polygon: null, malformed: converted };
}

/** Copies a polygon in two dimensions, without other members that a file may add. */
function flattenPolygon(polygon: Polygonal): Polygonal {
  return mapPositions(polygon, (position) => position.slice(0, 2));
}

type Position = readonly number[];

export function mapPositions(polygon: Polygonal, map: (position: Position) => Position): Polygonal {
  const ringsOf = (rings: readonly (readonly Position[])[]) => rings.map((ring) => ring.map(map));
  const { type, coordinates } = polygon;
  return type === 'Polygon'
    ? { type, coordinates: ringsOf(coordinates) }
    : { type, coordinates: coordinates.map(ringsOf) };
}

/** A height of 0 does not count. */
function hasHeight(coordinates: unknown): boolean {
  if (!Array.isArray(coordinates)) return false;
  if (Array.isArray(coordinates[0])) return coordinates.some(hasHeight);
  return Math.abs(coordinates[2]) > 0;
}

function hasNonFinite(geometry: object): boolean {
  return isNonFinite(Object(geometry).coordinates);
}

/** JSON cannot hold such a number: it is sent as null. */
function isNonFinite(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isNonFinite);
  return typeof value === 'number' && !Number.isFinite(value);
}
