/// <reference path="./sax.d.ts" />
import sax from 'sax';
import { TEXTS } from '../texts.ts';
import { findConversion } from './crs.ts';
import { selectFields } from './fields-among.ts';
import { type Choice, type FileFields, FileRejected } from './file-fields.ts';
import { MOST_DEPTH, MOST_FIELDS, MOST_VERTICES } from './file-limits.ts';
import { fileText } from './file-text.ts';
import {
  findPlacemarkElement,
  type KmlElement,
  KmlError,
  type KmlFeature,
  readFieldTypes,
  readPlacemark,
  type SchemaTypes,
} from './placemark.ts';

const LIMITS = { features: MOST_FIELDS, positions: MOST_VERTICES };

/** The most elements in one Placemark or Schema. A polygon needs three elements for each hole. */
const MOST_PLACEMARK_ELEMENTS = 300_000;

/**
 * Reads KML, whose coordinates are always in WGS 84: all folders, unless one is chosen. @throws FileRejected
 */
export function readKml(fileName: string, content: Uint8Array, choice: Choice): FileFields {
  const { text, remarks, questions } = fileText(
    fileName,
    content,
    readStatedEncoding(content),
    choice,
  );
  const { placemarks, hasLinks } = readPlacemarks(fileName, text);
  const folders = [...new Set(placemarks.flatMap(({ within }) => within))];
  if (choice.crs !== undefined) findConversion(fileName, WGS84, choice.crs);
  const { layer } = choice;
  if (layer !== undefined && !folders.includes(layer)) {
    throw new FileRejected('layer_unknown', TEXTS.file.noLayer(fileName, layer, folders));
  }
  const candidates = placemarks
    .filter(({ within }) => layer === undefined || within.includes(layer))
    .map(({ feature: { geometry, properties }, folder }) => ({
      geometry,
      attributes: folder === null ? properties : { [FOLDER]: folder, ...properties },
    }));
  const read = selectFields(fileName, candidates, (polygon) => polygon, choice);
  return {
    ...read,
    remarks: [
      ...read.remarks,
      ...remarks,
      ...(hasLinks ? [{ kind: 'links' as const, message: TEXTS.file.links(fileName) }] : []),
    ],
    questions: folders.length > 1 ? [{ kind: 'layer', layers: folders }, ...questions] : questions,
  };
}

const WGS84 = { epsg: 4326, name: 'WGS 84, as KML always is' };

const FOLDER = 'Folder';

function readPlacemarks(fileName: string, text: string): KmlContent {
  try {
    return parsePlacemarks(text, LIMITS);
  } catch (error) {
    if (!(error instanceof KmlError)) throw error;
    throw new FileRejected('damaged', TEXTS.file.noKml(fileName, error.message), { cause: error });
  }
}

interface KmlPlacemark {
  readonly feature: KmlFeature;
  /** Null outside Folders, or if the innermost Folder has no name. */
  readonly folder: string | null;
  readonly within: readonly string[];
}

interface KmlContent {
  readonly placemarks: readonly KmlPlacemark[];
  /** Whether the document links to other files. */
  readonly hasLinks: boolean;
}

interface KmlLimits {
  readonly features: number;
  readonly positions: number;
}

/**
 * Reads the Placemarks of KML (OGC 12-007r2) in document order. OpenLayers cannot read KML in a worker.
 * @throws KmlError
 */
export function parsePlacemarks(text: string, limits: KmlLimits): KmlContent {
  const parser = sax.parser(true);
  const reader = new Reader(limits);
  parser.onopentag = ({ name, attributes }) => reader.open(localName(name), attributes);
  parser.onclosetag = () => reader.close();
  parser.ontext = (text) => reader.text(text);
  parser.oncdata = (text) => reader.text(text);
  parser.onerror = ({ message }) => {
    throw new KmlError(message.split('\n')[0] ?? '');
  };
  try {
    parser.write(text).close();
  } catch (error) {
    if (!(error instanceof KmlError)) throw error;
    const reason = `${error.message.replace(/\.$/, '')} (line ${parser.line + 1})`;
    throw new KmlError(reason, { cause: error });
  }
  return { placemarks: reader.placemarks(), hasLinks: reader.hasLinks };
}

/** The encoding that an XML declaration names, or XML's default. */
function readStatedEncoding(content: Uint8Array): string {
  const start = new TextDecoder('latin1').decode(content.subarray(0, 200));
  return /^[^<]*<\?xml[^>]*encoding=["']([^"']+)["']/.exec(start)?.[1] ?? 'utf-8';
}

/** A name without its namespace prefix: files use prefixes that they do not declare. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Keeps the elements of one Placemark or Schema at a time, and the names of the elements around it. */
class Reader {
  private readonly path: KmlElement[] = [];
  private readonly found: { readonly feature: KmlFeature; readonly path: readonly KmlElement[] }[] =
    [];
  private readonly types = new Map<string, string>();
  /** The field types of each element that a schema defines as a kind of Placemark (before KML 2.2), by name. */
  private readonly schemas = new Map<string, SchemaTypes>();
  private readonly opened = new Set<string>();
  hasLinks = false;
  private elements = 0;
  private positions = 0;

  constructor(private readonly limits: KmlLimits) {}

  open(name: string, attributes: KmlElement['attributes']): void {
    const parent = this.path.at(-1);
    if (name === 'NetworkLink') this.hasLinks = true;
    const isStart = name === 'Schema' || this.isPlacemark(name, parent);
    this.opened.add(name);
    if (isStart) this.elements = 0;
    const isKept = isStart || name === 'name' || parent?.isKept === true;
    if (isKept && ++this.elements > MOST_PLACEMARK_ELEMENTS) {
      throw tooManyError('elements in one Placemark or Schema', MOST_PLACEMARK_ELEMENTS);
    }
    const element = { name, attributes, isKept, children: [], text: '' };
    if (isKept && !isStart) parent?.children.push(element);
    if (this.path.push(element) > MOST_DEPTH) {
      throw new KmlError(`elements are nested more than ${MOST_DEPTH} levels deep`);
    }
  }

  text(text: string): void {
    const element = this.path.at(-1);
    if (element?.isKept === true) element.text += text;
  }

  close(): void {
    const element = this.path.pop();
    if (element?.name === 'Schema') this.keepSchema(element);
    if (element === undefined || !this.isPlacemark(element.name, this.path.at(-1))) return;
    const { feature, positions } = readPlacemark(
      element,
      this.types,
      this.schemas.get(element.name),
    );
    this.found.push({ feature, path: this.path.filter(({ name }) => name === 'Folder') });
    this.positions += positions;
    if (this.found.length > this.limits.features)
      throw tooManyError('features', this.limits.features);
    if (this.positions > this.limits.positions)
      throw tooManyError('vertices', this.limits.positions);
  }

  private isPlacemark(name: string, parent: KmlElement | undefined): boolean {
    return name === 'Placemark' || (this.schemas.has(name) && parent?.isKept !== true);
  }

  private keepSchema(schema: KmlElement): void {
    const [types, { id = '' }] = [readFieldTypes(schema), schema.attributes];
    for (const [field, type] of types) this.types.set(`${id} ${field}`, type);
    const own = findPlacemarkElement(schema);
    if (own === null) return;
    if (this.opened.has(own)) {
      throw new KmlError(`an element "${own}" comes before the Schema that defines it`);
    }
    this.schemas.set(own, types);
  }

  /** A folder's name may follow its Placemarks. */
  placemarks(): readonly KmlPlacemark[] {
    return this.found.map(({ feature, path }) => {
      const names = path.map(readName);
      return {
        feature,
        folder: names.at(-1) ?? null,
        within: names.filter((name) => name !== null),
      };
    });
  }
}

function readName({ children }: KmlElement): string | null {
  const given = children.find(({ name }) => name === 'name')?.text.trim() ?? '';
  return given === '' ? null : given;
}

function tooManyError(what: string, most: number): KmlError {
  return new KmlError(`it has more than ${most} ${what}`);
}
