/** Why a KML file can't be read. The message is the reason alone. */
export class KmlError extends Error {
  override readonly name = 'KmlError';
}

export interface KmlElement {
  /** The name without its prefix. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly isKept: boolean;
  readonly children: KmlElement[];
  text: string;
}

/** A Placemark as GeoJSON: WGS 84 longitude, latitude and perhaps height. */
export interface KmlFeature {
  readonly geometry: KmlGeometry | null;
  /** The name and the description as `Name` and `Description`, and the ExtendedData. */
  readonly properties: Readonly<Record<string, unknown>>;
}

interface KmlGeometry {
  readonly type: string;
  readonly coordinates: readonly unknown[];
}

/** The attribute that has the name of a Placemark, called as GDAL and QGIS call it. */
const KML_NAME = 'Name';

/** Types by the id of the schema and the name of the field, with a space between. */
export type SchemaTypes = ReadonlyMap<string, string>;

export function typesIn(schema: KmlElement): SchemaTypes {
  const { id = '' } = schema.attributes;
  const fields = childrenOf(schema, 'SimpleField').map(({ attributes }) => attributes);
  return new Map(fields.map(({ name = '', type = '' }) => [`${id} ${name}`, type]));
}

/** @throws KmlError for what is no position */
export function placemarkOf(
  element: KmlElement,
  types: SchemaTypes,
): { readonly feature: KmlFeature; readonly positions: number } {
  const counter = { positions: 0 };
  const [geometry = null] = element.children.flatMap((child) => geometryOf(child, counter) ?? []);
  const own = [
    [KML_NAME, textOf(element, 'name')] as const,
    ['Description', textOf(element, 'description')] as const,
  ];
  const properties = Object.fromEntries([
    ...own.filter(([, text]) => text !== ''),
    ...dataOf(element, types),
  ]);
  return { feature: { geometry, properties }, positions: counter.positions };
}

function* dataOf(element: KmlElement, types: SchemaTypes): Generator<readonly [string, unknown]> {
  for (const extended of childrenOf(element, 'ExtendedData')) {
    for (const data of childrenOf(extended, 'Data')) {
      yield [data.attributes['name'] ?? '', textOf(data, 'value')];
    }
    for (const data of childrenOf(extended, 'SchemaData')) {
      const schema = data.attributes['schemaUrl']?.replace(/^.*#/, '') ?? '';
      for (const { attributes, text } of childrenOf(data, 'SimpleData')) {
        const { name = '' } = attributes;
        yield [name, typed(text.trim(), types.get(`${schema} ${name}`) ?? '')];
      }
    }
  }
}

const NUMBER = /^(u?int|u?short|float|double)$/;

/** The value as a number if the schema says so; a text that is none stays as it is. */
function typed(text: string, type: string): unknown {
  const value = Number(text);
  return NUMBER.test(type) && text !== '' && Number.isFinite(value) ? value : text;
}

interface Counter {
  positions: number;
}

/** The geometry of an element; null if it is none, or has no parts. */
function geometryOf(element: KmlElement, counter: Counter): KmlGeometry | null {
  switch (element.name) {
    case 'Polygon':
      return { type: 'Polygon', coordinates: ringsOf(element, counter) };
    case 'MultiGeometry':
      return multiOf(element.children.flatMap((child) => geometryOf(child, counter) ?? []));
    case 'LinearRing':
    case 'LineString':
    case 'Point':
      return { type: element.name, coordinates: positionsOf(element, counter) };
    case 'Model':
    case 'MultiTrack':
    case 'Track':
      return { type: element.name, coordinates: [[]] };
    default:
      return null;
  }
}

/** Polygons, also of inner collections, as one geometry. */
function multiOf(parts: readonly KmlGeometry[]): KmlGeometry | null {
  const other = parts.find(({ type }) => type !== 'Polygon' && type !== 'MultiPolygon');
  if (other !== undefined) return { type: 'GeometryCollection', coordinates: [[]] };
  const coordinates = parts.flatMap((part) =>
    part.type === 'Polygon' ? [part.coordinates] : part.coordinates,
  );
  return parts.length === 0 ? null : { type: 'MultiPolygon', coordinates };
}

/** The outer ring and the holes; empty without an outer ring. */
function ringsOf(polygon: KmlElement, counter: Counter): readonly (readonly Position[])[] {
  const [outer = [], inner = []] = ['outerBoundaryIs', 'innerBoundaryIs'].map((boundary) =>
    childrenOf(polygon, boundary)
      .flatMap((one) => childrenOf(one, 'LinearRing'))
      .map((ring) => positionsOf(ring, counter)),
  );
  return outer.length === 0 ? [] : [...outer, ...inner];
}

type Position = readonly number[];

function positionsOf(element: KmlElement, counter: Counter): readonly Position[] {
  const tuples = textOf(element, 'coordinates')
    .split(/\s+/)
    .filter((tuple) => tuple !== '');
  counter.positions += tuples.length;
  return tuples.map((tuple) => {
    const position = tuple.split(',').map((part) => (part === '' ? Number.NaN : Number(part)));
    if (position.length >= 2 && position.every(Number.isFinite)) return position;
    throw new KmlError(`"${tuple.slice(0, 80)}" is not a longitude and a latitude`);
  });
}

function childrenOf({ children }: KmlElement, wanted: string): readonly KmlElement[] {
  return children.filter(({ name }) => name === wanted);
}

/** The trimmed text of a child; empty without the child. */
function textOf(element: KmlElement, child: string): string {
  return childrenOf(element, child)[0]?.text.trim() ?? '';
}
