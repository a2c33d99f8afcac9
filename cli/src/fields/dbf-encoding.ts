import { TextDecoder } from 'node:util';
import type { Attribute } from './field-collection.ts';
import { FieldsError } from './fields-error.ts';
import type { UncheckedFeature } from './polygons.ts';

/**
 * GDAL as built here converts few encodings and takes the others for Latin-1 with no more than a warning.
 * So it reads each byte as a character, and the text is decoded here.
 */
export const BYTES_AS_CHARACTERS = 'ENCODING=ISO-8859-1';

/** Byte 29 of a .dbf header: the language driver, by the code page it stands for. */
const LANGUAGE_DRIVERS: Readonly<Record<number, string>> = {
  1: '437',
  2: '850',
  3: '1252',
  19: '932',
  38: '866',
  77: '936',
  78: '949',
  79: '950',
  87: '1252',
  88: '1252',
  89: '1252',
  100: '852',
  101: '866',
  120: '950',
  121: '949',
  122: '936',
  123: '932',
  124: '874',
  125: '1255',
  126: '1256',
  200: '1250',
  201: '1251',
  202: '1254',
  203: '1253',
  204: '1257',
};
const LANGUAGE_DRIVER_BYTE = 29;

/** Code pages whose label in the Encoding Standard is not `windows-` and their number. */
const LABELS: Readonly<Record<string, string>> = {
  '866': 'ibm866',
  '932': 'shift_jis',
  '936': 'gbk',
  '949': 'euc-kr',
  '950': 'big5',
  '65001': 'utf-8',
  '88591': 'windows-1252',
};

/** What a Shapefile says of its encoding: a .cpg file comes before the .dbf header; null if neither does. */
export function declaredEncoding(
  dbf: Uint8Array | undefined,
  cpg: Uint8Array | undefined,
): string | null {
  const named = cpg === undefined ? '' : Buffer.from(cpg).toString('latin1').trim();
  if (named !== '') return named;
  return LANGUAGE_DRIVERS[dbf?.[LANGUAGE_DRIVER_BYTE] ?? 0] ?? null;
}

/** Names and texts of a .dbf, decoded. Those in ASCII are the same in every encoding. */
export class DbfText {
  private readonly decoder: TextDecoder | null;

  constructor(
    private readonly file: string,
    private readonly declared: string | null,
    texts: Iterable<string>,
  ) {
    this.decoder = declared === null ? guessed(texts) : decoderOf(declared);
  }

  attribute(one: Attribute): Attribute {
    return { ...one, name: this.decode(one.name) };
  }

  feature({ geometry, properties }: UncheckedFeature): UncheckedFeature {
    const decoded = Object.entries(properties).map(([name, value]) => [
      this.decode(name),
      typeof value === 'string' ? this.decode(value) : value,
    ]);
    return { geometry, properties: Object.fromEntries(decoded) };
  }

  private decode(characters: string): string {
    if (isAscii(characters)) return characters;
    if (this.decoder !== null) {
      try {
        return this.decoder.decode(Buffer.from(characters, 'latin1'));
      } catch {
        // Bytes that the encoding doesn't have.
      }
    }
    throw new FieldsError(
      'encoding',
      `The texts of ${this.file} cannot be read in the encoding it names, ${this.declared}: save it again in UTF-8.`,
    );
  }
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** UTF-8 if every text is valid in it, which other encodings hardly ever are; or else Windows-1252. */
function guessed(texts: Iterable<string>): TextDecoder {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  try {
    for (const text of texts) utf8.decode(Buffer.from(text, 'latin1'));
    return utf8;
  } catch {
    return new TextDecoder('windows-1252');
  }
}

/** Null for an encoding that Node doesn't decode. */
function decoderOf(declared: string): TextDecoder | null {
  const page = /^(?:ansi|cp|dos|ibm|oem|windows)?[ _-]?(\d+)$/i.exec(declared)?.[1];
  const label = page === undefined ? declared : (LABELS[page] ?? `windows-${page}`);
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    return null;
  }
}

/** Every name and text, as GDAL gives them. */
export function* textsOf(features: readonly UncheckedFeature[]): Generator<string> {
  for (const { properties } of features) {
    for (const [name, value] of Object.entries(properties)) {
      yield name;
      if (typeof value === 'string') yield value;
    }
  }
}
