/** Field types of TIFF 6.0 (1992), and LONG8 of BigTIFF. */
const TYPES = {
  ascii: { code: 2, bytes: 1 },
  short: { code: 3, bytes: 2 },
  long: { code: 4, bytes: 4 },
  double: { code: 12, bytes: 8 },
  long8: { code: 16, bytes: 8 },
} as const;

export type Field =
  | { readonly tag: number; readonly type: 'ascii'; readonly text: string }
  | {
      readonly tag: number;
      readonly type: 'short' | 'long' | 'long8' | 'double';
      readonly values: ArrayLike<number>;
    };

function shapeOfIfd(big: boolean) {
  return big ? { count: 8, entry: 20, pointer: 8 } : { count: 2, entry: 12, pointer: 4 };
}

/** Length of a directory, including the values after it that do not fit into its entries. */
export function ifdLength(fields: readonly Field[], big: boolean): number {
  const { count, entry, pointer } = shapeOfIfd(big);
  let length = count + fields.length * entry + pointer;
  for (const field of fields) {
    const size = encodedSize(field);
    if (size > pointer) length += padToWord(size);
  }
  return padToWord(length);
}

/** `next` is the offset of the next directory, or 0. Little-endian. */
export function writeIfd(
  fields: readonly Field[],
  offset: number,
  next: number,
  big: boolean,
): Uint8Array {
  const { count, entry, pointer } = shapeOfIfd(big);
  const bytes = new Uint8Array(ifdLength(fields, big));
  const view = new DataView(bytes.buffer);
  const writePointer = (at: number, value: number): void =>
    big ? view.setBigUint64(at, BigInt(value), true) : view.setUint32(at, value, true);

  if (big) view.setBigUint64(0, BigInt(fields.length), true);
  else view.setUint16(0, fields.length, true);
  let at = count;
  let overflow = count + fields.length * entry + pointer;
  for (const field of [...fields].sort((a, b) => a.tag - b.tag)) {
    const encoded = encodeField(field);
    view.setUint16(at, field.tag, true);
    view.setUint16(at + 2, TYPES[field.type].code, true);
    writePointer(at + 4, encoded.length / TYPES[field.type].bytes);
    const valueAt = at + 4 + pointer;
    if (encoded.length <= pointer) {
      bytes.set(encoded, valueAt);
    } else {
      writePointer(valueAt, offset + overflow);
      bytes.set(encoded, overflow);
      overflow += padToWord(encoded.length);
    }
    at += entry;
  }
  writePointer(at, next);
  return bytes;
}

function encodeField(field: Field): Uint8Array {
  if (field.type === 'ascii') return new TextEncoder().encode(`${field.text}\0`);
  const bytes = new Uint8Array(encodedSize(field));
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < field.values.length; i += 1) {
    const value = field.values[i] ?? 0;
    if (field.type === 'short') view.setUint16(i * 2, value, true);
    else if (field.type === 'long') view.setUint32(i * 4, value, true);
    else if (field.type === 'double') view.setFloat64(i * 8, value, true);
    else view.setBigUint64(i * 8, BigInt(value), true);
  }
  return bytes;
}

function encodedSize(field: Field): number {
  if (field.type === 'ascii') return Buffer.byteLength(field.text) + 1;
  return field.values.length * TYPES[field.type].bytes;
}

/** Values begin on an even byte (TIFF 6.0, section 2). */
function padToWord(length: number): number {
  return length + (length % 2);
}
