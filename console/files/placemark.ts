/** The message holds only the reason. */
export class KmlError extends Error {
  override readonly name = 'KmlError';
}

export interface KmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly isKept: boolean;
  readonly children: KmlElement[];
  text: string;
}

/** A Placemark as GeoJSON: WGS 84 longitude, latitude and sometimes height. */
export interface KmlFeature {
  readonly geometry: KmlGeometry | null;
  /** The name and the description, as `Name` and `Description`, and the ExtendedData. */
  readonly properties: Readonly<Record<string, unknown>>;
}

interface KmlGeometry {
  readonly type: string;
  readonly coordinates?: readonly unknown[];
  readonly geometries?: readonly KmlGeometry[];
}

/** The attribute that holds the name of a Placemark, as in GDAL and QGIS. */
const KML_NAME = 'Name';

/** Field types. A key is the schema ID, a space and the field's name, or the name alone. */
export type SchemaTypes = ReadonlyMap<string, string>;

export function readFieldTypes(schema: KmlElement): SchemaTypes {
  const fields = listChildren(schema, 'SimpleField').map(({ attributes }) => attributes);
  return new Map(fields.map(({ name = '', type = '' }) => [name, type]));
}

/** The element that a KML 2.1 schema defines as a kind of Placemark; null for other schemas. */
export function findPlacemarkElement(schema: KmlElement): string | null {
  const { parent = readText(schema, 'parent'), name = readText(schema, 'name') } =
    schema.attributes;
  return parent === 'Placemark' ? name : null;
}

/** @param ownTypes types of the child elements that the Placemark's schema adds */
export function readPlacemark(
  element: KmlElement,
  types: SchemaTypes,
  ownTypes: SchemaTypes | undefined,
): { readonly feature: KmlFeature; readonly positions: number } {
  const counter = { positions: 0 };
  const geometries = element.children.flatMap((child) => readGeometry(child, counter) ?? []);
  // Some files have several geometries without a MultiGeometry around them.
  const geometry =
    geometries.length > 1 ? { type: 'GeometryCollection', geometries } : (geometries[0] ?? null);
  const own = [
    [KML_NAME, readText(element, 'name')] as const,
    ['Description', readText(element, 'description')] as const,
  ];
  const properties = Object.fromEntries([
    ...own.filter(([, text]) => text !== ''),
    ...(ownTypes === undefined ? [] : readOwnData(element, ownTypes)),
    ...readData(element, types),
  ]);
  return { feature: { geometry, properties }, positions: counter.positions };
}

function* readOwnData(
  element: KmlElement,
  types: SchemaTypes,
): Generator<readonly [string, unknown]> {
  for (const { name, text } of element.children) {
    const type = types.get(name);
    if (type !== undefined) yield [name, parseTyped(text.trim(), type)];
  }
}

function* readData(element: KmlElement, types: SchemaTypes): Generator<readonly [string, unknown]> {
  for (const extended of listChildren(element, 'ExtendedData')) {
    for (const data of listChildren(extended, 'Data')) {
      yield [data.attributes['name'] ?? '', readText(data, 'value')];
    }
    for (const data of listChildren(extended, 'SchemaData')) {
      const schema = data.attributes['schemaUrl']?.replace(/^.*#/, '') ?? '';
      for (const { attributes, text } of listChildren(data, 'SimpleData')) {
        const { name = '' } = attributes;
        yield [name, parseTyped(text.trim(), types.get(`${schema} ${name}`) ?? '')];
      }
    }
  }
}

const NUMBERS = /^(u?int|u?short|float|double)$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Parses the value as a number if the schema says so. A text that is not a number, or that a number would
 * round, stays a text.
 */
function parseTyped(text: string, type: string): unknown {
  if (!NUMBERS.test(type) || !NUMBER.test(text)) return text;
  const value = Number(text);
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded || !Number.isFinite(value) ? text : value;
}

interface Counter {
  positions: number;
}

/** Null for an element that is not a geometry. */
function readGeometry(element: KmlElement, counter: Counter): KmlGeometry | null {
  switch (element.name) {
    case 'Polygon':
      return readPolygon(element, counter);
    // Some programs write the GeoJSON name instead of the KML name.
    case 'MultiPolygon':
    case 'MultiGeometry':
      return {
        type: 'GeometryCollection',
        geometries: element.children.flatMap((child) => readGeometry(child, counter) ?? []),
      };
    case 'LinearRing':
    case 'LineString':
    case 'Point':
      return { type: element.name, coordinates: readPositions(element, counter) };
    case 'Model':
    case 'MultiTrack':
    case 'Track':
      return { type: element.name };
    default:
      return null;
  }
}

/** Further outer rings, which KML does not allow, become separate polygons. */
function readPolygon(polygon: KmlElement, counter: Counter): KmlGeometry {
  const [[outer, ...outers] = [], holes = []] = ['outerBoundaryIs', 'innerBoundaryIs'].map(
    (boundary) =>
      listChildren(polygon, boundary)
        .flatMap((one) => listChildren(one, 'LinearRing'))
        .map((ring) => readPositions(ring, counter)),
  );
  if (outer === undefined) return { type: 'Polygon', coordinates: [] };
  const rings = [outer, ...holes];
  if (outers.length === 0) return { type: 'Polygon', coordinates: rings };
  return { type: 'MultiPolygon', coordinates: [rings, ...outers.map((ring) => [ring])] };
}

type Position = readonly number[];

const NOWHERE: Position = [Number.NaN, Number.NaN];

/**
 * Reads the positions in `coordinates`, separated by spaces. Heights may be empty or arbitrary text. Some files
 * also have commas between positions, or spaces after commas. An invalid position becomes NaN, so that the
 * service reports which one it is.
 */
function readPositions(element: KmlElement, counter: Counter): readonly Position[] {
  const text = readText(element, 'coordinates');
  const strict = parsePositions(text);
  const positions = strict.includes(NOWHERE)
    ? parsePositions(text.replaceAll(/\s*,\s*/g, ','))
    : strict;
  counter.positions += positions.length;
  return positions;
}

function parsePositions(text: string): readonly Position[] {
  return text
    .split(/\s+/)
    .filter((tuple) => tuple !== '')
    .map(parsePosition);
}

function parsePosition(tuple: string): Position {
  const parts = tuple.replace(/,$/, '').split(',');
  const [lon = Number.NaN, lat = Number.NaN, height = Number.NaN] = parts.map((part) =>
    part === '' ? Number.NaN : Number(part),
  );
  if (parts.length > 3 || Number.isNaN(lon) || Number.isNaN(lat)) return NOWHERE;
  return Number.isNaN(height) ? [lon, lat] : [lon, lat, height];
}

function listChildren({ children }: KmlElement, wanted: string): readonly KmlElement[] {
  return children.filter(({ name }) => name === wanted);
}

function readText(element: KmlElement, child: string): string {
  return listChildren(element, child)[0]?.text.trim() ?? '';
}
