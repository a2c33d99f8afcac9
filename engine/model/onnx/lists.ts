import { PbfReader } from 'pbf';
import { ModelInvalid } from './errors.ts';
import { isPacked, readSection, readSectionEnd } from './protobuf.ts';

/**
 * A repeated field's values are packed in one section (numbers by proto3 writers) or have a tag each
 * (numbers by proto2 writers, and all strings). A forest has millions of values, and a small job reads
 * them before V8 has compiled the code, so consecutive values with the same tag are read in one loop without a call.
 */
const WIRE = { varint: 0, fixed32: 5 } as const;

/** The one-byte tag of a field whose number is below 16. */
function computeOneByteTag({ type }: PbfReader, field: number): number {
  return (field << 3) | type;
}

function requireWire(reader: PbfReader, type: number): void {
  if (reader.type !== type) {
    throw new ModelInvalid('a field does not have its ONNX type');
  }
}

/** Numbers whose count is known only once the last number is read. */
export class NumberList<List extends Float32Array | Int32Array> {
  readonly #ofLength: (length: number) => List;
  #list: List;
  count = 0;

  constructor(ofLength: (length: number) => List) {
    this.#ofLength = ofLength;
    this.#list = ofLength(0);
  }

  /** Makes room for more numbers. The list grows by at least half, because it may have a million parts in the file. */
  withRoom(more: number): List {
    const old = this.#list;
    if (this.count + more > old.length) {
      this.#list = this.#ofLength(Math.max(this.count + more, Math.ceil(1.5 * old.length)));
      this.#list.set(old);
    }
    return this.#list;
  }

  numbers(): List {
    return this.#list.subarray(0, this.count) as List;
  }
}

const FLOAT_BYTES = 4;

export function readFloats(
  reader: PbfReader,
  field: number,
  floats: NumberList<Float32Array>,
): void {
  if (isPacked(reader)) {
    const section = readSection(reader);
    const count = section.length / FLOAT_BYTES;
    if (!Number.isInteger(count)) {
      throw new ModelInvalid('a list of floats ends inside a float');
    }
    // A copy is aligned. Assumes a little-endian machine, as on Lambda.
    const { buffer } = new Uint8Array(section);
    floats.withRoom(count).set(new Float32Array(buffer), floats.count);
    floats.count += count;
    return;
  }
  requireWire(reader, WIRE.fixed32);
  const { buf, dataView } = reader;
  const tag = computeOneByteTag(reader, field);
  const { buffer } = floats.withRoom(Math.ceil((buf.length - reader.pos) / (1 + FLOAT_BYTES)));
  // Copied as integers: before this loop is compiled, each float would be an object on the heap.
  const bits = new Int32Array(buffer);
  let next = floats.count;
  let at = reader.pos - 1;
  do {
    bits[next++] = dataView.getInt32(at + 1, true);
    at += 1 + FLOAT_BYTES;
  } while (buf[at] === tag);
  floats.count = next;
  reader.pos = at;
}

export function readInts(reader: PbfReader, field: number, ints: NumberList<Int32Array>): void {
  if (isPacked(reader)) {
    const packed = new PbfReader(readSection(reader));
    const list = ints.withRoom(packed.length);
    while (packed.pos < packed.length) list[ints.count++] = readInt(packed);
    return;
  }
  requireWire(reader, WIRE.varint);
  const { buf } = reader;
  const tag = computeOneByteTag(reader, field);
  const list = ints.withRoom(Math.ceil((buf.length - reader.pos + 1) / 2));
  let next = ints.count;
  let at = reader.pos - 1;
  do {
    const low = buf[at + 1] ?? 0;
    const high = buf[at + 2] ?? 0;
    if (low < CONTINUED) {
      list[next++] = low;
      at += 2;
    } else if (high < CONTINUED) {
      list[next++] = (low - CONTINUED) | (high << 7);
      at += 3;
    } else {
      reader.pos = at + 1;
      list[next++] = readInt(reader);
      at = reader.pos;
    }
  } while (buf[at] === tag);
  ints.count = next;
  reader.pos = at;
}

/** The bit that is set in every byte of a varint except the last. */
const CONTINUED = 0x80;

/** ONNX's integers have 64 bits, but valid ids and indexes fit into 32. */
export function readInt(reader: PbfReader): number {
  const value = reader.readVarint(true);
  if ((value | 0) !== value) {
    throw new ModelInvalid(`the integer ${value} is out of range`);
  }
  return value;
}

export type WordIndex = (buf: Uint8Array, from: number, end: number) => number;

export function readTexts(
  reader: PbfReader,
  field: number,
  wordIndex: WordIndex,
  indexes: NumberList<Int32Array>,
): void {
  const tag = computeOneByteTag(reader, field);
  const { buf } = reader;
  const list = indexes.withRoom(Math.ceil((buf.length - reader.pos + 1) / 2));
  for (;;) {
    const end = readSectionEnd(reader);
    list[indexes.count++] = wordIndex(buf, reader.pos, end);
    reader.pos = end;
    if (buf[reader.pos] !== tag) {
      return;
    }
    reader.pos += 1;
  }
}
