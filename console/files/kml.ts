/// <reference path="./sax.d.ts" />
import sax from 'sax';
import { TEXTS } from '../texts.ts';
import {
  type Choice,
  chosenLayer,
  FileRejected,
  fieldsAmong,
  type ReadFile,
} from './file-fields.ts';
import { MOST_DEPTH, MOST_FIELDS, MOST_VERTICES } from './file-limits.ts';
import { type KmlElement, KmlError, type KmlFeature, placemarkOf, typesIn } from './placemark.ts';

const LIMITS = { features: MOST_FIELDS, positions: MOST_VERTICES };

/** Elements of one Placemark: it has three for each hole. */
const MOST_PLACEMARK_ELEMENTS = 300_000;

/** KML, whose coordinates are always in WGS 84. @throws FileRejected */
export function readKml(fileName: string, content: Uint8Array, choice: Choice): ReadFile {
  const { features } = chosenLayer(fileName, layersOf(fileName, content), choice);
  return fieldsAmong(
    features.map(({ geometry, properties }) => ({ geometry, attributes: properties })),
    (polygon) => polygon,
  );
}

function layersOf(fileName: string, content: Uint8Array): readonly KmlLayer[] {
  try {
    return kmlLayers(content, LIMITS);
  } catch (error) {
    if (!(error instanceof KmlError)) throw error;
    throw new FileRejected(TEXTS.file.noKml(fileName, error.message), { cause: error });
  }
}

/** The Placemarks of one Folder or Document. */
interface KmlLayer {
  readonly name: string;
  readonly features: readonly KmlFeature[];
}

interface KmlLimits {
  readonly features: number;
  readonly positions: number;
}

/**
 * The layers of KML (OGC 12-007r2). OpenLayers reads KML only on a page, not in a worker.
 * @throws KmlError
 */
export function kmlLayers(content: Uint8Array, limits: KmlLimits): readonly KmlLayer[] {
  const parser = sax.parser(true);
  const reader = new Reader(limits);
  parser.onopentag = ({ name, attributes }) => reader.open(localName(name), attributes);
  parser.onclosetag = () => reader.close();
  parser.ontext = (text) => reader.text(text);
  parser.oncdata = (text) => reader.text(text);
  parser.onerror = ({ message }) => {
    throw new KmlError(message.split('\n')[0] ?? '');
  };
  const text = decoded(content);
  try {
    parser.write(text).close();
  } catch (error) {
    if (!(error instanceof KmlError)) throw error;
    const reason = `${error.message.replace(/\.$/, '')} (line ${parser.line + 1})`;
    throw new KmlError(reason, { cause: error });
  }
  return reader.layers();
}

/** Decodes the text by its byte order mark, or by the encoding that its XML declaration names. */
function decoded(content: Uint8Array): string {
  const start = new TextDecoder('latin1').decode(content.subarray(0, 200));
  const named = /^[^<]*<\?xml[^>]*encoding=["']([^"']+)["']/.exec(start)?.[1] ?? 'utf-8';
  const encoding = { þÿ: 'utf-16be', ÿþ: 'utf-16le' }[start.slice(0, 2)] ?? named;
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(content);
  } catch (cause) {
    throw new KmlError(`its text is not in ${encoding.toUpperCase()}`, { cause });
  }
}

/** A name without the prefix of its namespace: files use some that they don't declare. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Keeps the elements of one Placemark at a time, and the names of what contains it. */
class Reader {
  private readonly path: KmlElement[] = [];
  private readonly featuresIn = new Map<KmlElement, KmlFeature[]>();
  private readonly types = new Map<string, string>();
  private elements = 0;
  private features = 0;
  private positions = 0;

  constructor(private readonly limits: KmlLimits) {}

  open(name: string, attributes: KmlElement['attributes']): void {
    const parent = this.path.at(-1);
    const isStart = name === 'Placemark' || name === 'Schema';
    if (isStart) this.elements = 0;
    const isKept = isStart || name === 'name' || parent?.isKept === true;
    if (isKept && ++this.elements > MOST_PLACEMARK_ELEMENTS) {
      throw new KmlError(`a Placemark has more than ${MOST_PLACEMARK_ELEMENTS} elements`);
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
    const container = this.path.at(-1);
    if (element?.name === 'Schema') {
      for (const [field, type] of typesIn(element)) this.types.set(field, type);
    }
    if (element?.name !== 'Placemark' || container === undefined) return;
    const { feature, positions } = placemarkOf(element, this.types);
    this.features++;
    this.positions += positions;
    if (this.features > this.limits.features) throw tooMany('features', this.limits.features);
    if (this.positions > this.limits.positions) throw tooMany('vertices', this.limits.positions);
    const others = this.featuresIn.get(container);
    if (others === undefined) this.featuresIn.set(container, [feature]);
    else others.push(feature);
  }

  /** The layers; no two of them have the same name. */
  layers(): readonly KmlLayer[] {
    const taken = new Set<string>();
    return [...this.featuresIn].map(([container, features], index) => {
      const given = container.children.find(({ name }) => name === 'name')?.text.trim() ?? '';
      const base = given === '' ? `Layer ${index + 1}` : given;
      const name = taken.has(base) ? `${base} (#${index + 1})` : base;
      taken.add(name);
      return { name, features };
    });
  }
}

function tooMany(what: string, most: number): KmlError {
  return new KmlError(`it has more than ${most} ${what}`);
}
