import { decoderFor, type TextEncoding } from './text-encoding.ts';

// dBASE III, as the ESRI Shapefile Technical Description (July 1998) describes it.
const FIELD_BYTES = 32;
const HEADER_END = 0x0d;
const DELETED = 0x2a;
const NAME_BYTES = 10;

export interface DbfField {
  readonly name: Uint8Array;
  readonly type: string;
  readonly at: number;
  readonly bytes: number;
}

/** A dBASE table whose text is still encoded. */
export interface DbfTable {
  readonly language: number;
  readonly fields: readonly DbfField[];
  /** The bytes of each row; null for a row that is marked as deleted. */
  readonly rows: readonly (Uint8Array | null)[];
}

/** @throws RangeError for a damaged file */
export function dbfTable(dbf: Uint8Array): DbfTable {
  const view = new DataView(dbf.buffer, dbf.byteOffset, dbf.byteLength);
  const [count, headerBytes] = [view.getUint32(4, true), view.getUint16(8, true)];
  const rowBytes = view.getUint16(10, true);
  const descriptors: Uint8Array[] = [];
  for (let at = FIELD_BYTES; at < headerBytes && dbf[at] !== HEADER_END; at += FIELD_BYTES) {
    descriptors.push(dbf.subarray(at, at + FIELD_BYTES));
  }
  const wide = readFieldDescriptors(descriptors, true);
  const fields = findEnd(wide) === rowBytes ? wide : readFieldDescriptors(descriptors, false);
  if (headerBytes + count * rowBytes > dbf.length) {
    throw new RangeError(
      `the header declares ${count} rows of ${rowBytes} bytes, more than the file holds`,
    );
  }
  const rows = Array.from({ length: count }, (_, row) => {
    const bytes = dbf.subarray(headerBytes + row * rowBytes, headerBytes + (row + 1) * rowBytes);
    return bytes[0] === DELETED ? null : bytes;
  });
  return { language: view.getUint8(29), fields, rows };
}

/**
 * @param isWide whether text columns longer than 255 bytes store the high byte of their length where number columns
 * store their count of decimals; other programs leave arbitrary bytes there
 */
function readFieldDescriptors(
  descriptors: readonly Uint8Array[],
  isWide: boolean,
): readonly DbfField[] {
  let next = 1;
  return descriptors.map((field) => {
    const [code = 0, low = 0, high = 0] = [field[11], field[16], field[17]];
    const type = String.fromCharCode(code);
    const bytes = isWide && type === 'C' ? low + 256 * high : low;
    const at = next;
    next += bytes;
    return { name: cutAtZero(field.subarray(0, 11)), type, at, bytes };
  });
}

function findEnd(fields: readonly DbfField[]): number {
  const last = fields.at(-1);
  return last === undefined ? 1 : last.at + last.bytes;
}

function cutAtZero(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

export interface DbfText {
  readonly bytes: Uint8Array;
  /** Whether the text fills its column, in which case its last character may be cut off. */
  readonly mayBeCut: boolean;
}

/** Lists the texts that are not ASCII: names of columns, and values of text columns. */
export function* listTexts({ fields, rows }: DbfTable): Generator<DbfText> {
  for (const { name } of fields) {
    if (isBeyondAscii(name)) yield { bytes: name, mayBeCut: name.length >= NAME_BYTES };
  }
  for (const row of rows) {
    if (row === null) continue;
    for (const field of fields) {
      const bytes = sliceValue(row, field);
      if (field.type === 'C' && isBeyondAscii(bytes)) {
        yield { bytes, mayBeCut: bytes.length === field.bytes };
      }
    }
  }
}

function sliceValue(row: Uint8Array, { at, bytes }: DbfField): Uint8Array {
  return cutAtZero(row.subarray(at, at + bytes));
}

function isBeyondAscii(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte > 0x7f);
}

export type DbfRow = Readonly<Record<string, string | number | boolean | null>>;

export function decodeRows(
  { fields, rows }: DbfTable,
  encoding: TextEncoding,
): readonly (DbfRow | null)[] {
  const decode = decoderFor(encoding);
  const names = numberDuplicates(fields.map(({ name }) => decode(name).trim()));
  const columns = fields.map((field, index) => ({ field, name: names[index] ?? '' }));
  return rows.map((row) =>
    row === null
      ? null
      : Object.fromEntries(
          columns.map(({ field, name }) => [
            name,
            parseValue(field.type, decode(sliceValue(row, field))),
          ]),
        ),
  );
}

function numberDuplicates(names: readonly string[]): readonly string[] {
  const taken = new Set(names);
  return names.map((name, index) => {
    if (names.indexOf(name) === index) return name;
    let number = 1;
    while (taken.has(`${name}_${number}`)) number++;
    const free = `${name}_${number}`;
    taken.add(free);
    return free;
  });
}

/** A whole number that JavaScript would round stays text. */
function parseValue(type: string, text: string): string | number | boolean | null {
  const value = text.trim();
  switch (type) {
    case 'N':
    case 'F':
      return readNumber(value);
    case 'L':
      return /^[YT]$/i.test(value) ? true : /^[NF]$/i.test(value) ? false : null;
    case 'D':
      return readDate(value);
    case 'C':
      return value === '' ? null : value;
    default:
      return null;
  }
}

/** Some programs write zeros for a missing date; others write days that do not exist. */
function readDate(text: string): string | null {
  const date = text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date) ? date : null;
}

function readNumber(text: string): number | string | null {
  const value = Number(text.replace(',', '.'));
  if (text === '' || !Number.isFinite(value)) return null;
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value;
}
