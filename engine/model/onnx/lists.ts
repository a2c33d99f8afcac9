import { PbfReader } from 'pbf';
import { ModelInvalid } from './errors.ts';
import { isPacked, readSection, sectionEnd } from './protobuf.ts';

/**
 * A repeated field's values are packed in one section (numbers by proto3 writers) or have a tag each
 * (numbers by proto2 writers, and all strings). A forest has millions, so consecutive values with the
 * same tag are counted or read in one loop instead of field by field.
 */
const WIRE = { varint: 0, fixed32: 5 } as const;

/** The tag of a field below 16, which has one byte. */
function tagOf({ type }: PbfReader, field: number): number {
  return (field << 3) | type;
}

function requireWire(reader: PbfReader, type: number): void {
  if (reader.type !== type) {
    throw new ModelInvalid('a field does not have its ONNX type');
  }
}

/** Skips the field's float32 values at the reader's position; returns their number. */
export function countFloats(reader: PbfReader, field: number): number {
  if (isPacked(reader)) {
    const count = readSection(reader).length / 4;
    if (!Number.isInteger(count)) {
      throw new ModelInvalid('a list of floats ends inside a float');
    }
    return count;
  }
  requireWire(reader, WIRE.fixed32);
  const tag = tagOf(reader, field);
  let count = 1;
  for (reader.pos += 4; reader.buf[reader.pos] === tag; reader.pos += 5) {
    count += 1;
  }
  return count;
}

/** Reads the values that {@link countFloats} counts into a list at `at`; returns the end index. */
export function readFloats(
  reader: PbfReader,
  field: number,
  into: Float32Array,
  at: number,
): number {
  let next = at;
  if (isPacked(reader)) {
    const numbers = new PbfReader(readSection(reader));
    while (numbers.pos < numbers.length) {
      into[next++] = numbers.readFloat();
    }
    return next;
  }
  const tag = tagOf(reader, field);
  into[next++] = reader.readFloat();
  while (reader.buf[reader.pos] === tag) {
    reader.pos += 1;
    into[next++] = reader.readFloat();
  }
  return next;
}

/** Skips the field's integers at the reader's position; returns their number. */
export function countInts(reader: PbfReader, field: number): number {
  let count = 0;
  if (isPacked(reader)) {
    for (const byte of readSection(reader)) {
      // The last byte of a varint has no continuation bit.
      count += byte < 0x80 ? 1 : 0;
    }
    return count;
  }
  requireWire(reader, WIRE.varint);
  const { buf } = reader;
  const tag = tagOf(reader, field);
  let at = reader.pos - 1;
  do {
    at += 1;
    while ((buf[at] ?? 0) >= 0x80) {
      at += 1;
    }
    at += 1;
    count += 1;
  } while (buf[at] === tag);
  reader.pos = at;
  return count;
}

/** Reads the values that {@link countInts} counts into a list at `at`; returns the end index. */
export function readInts(reader: PbfReader, field: number, into: Int32Array, at: number): number {
  let next = at;
  if (isPacked(reader)) {
    const numbers = new PbfReader(readSection(reader));
    while (numbers.pos < numbers.length) {
      into[next++] = readInt(numbers);
    }
    return next;
  }
  const tag = tagOf(reader, field);
  into[next++] = readInt(reader);
  while (reader.buf[reader.pos] === tag) {
    reader.pos += 1;
    into[next++] = readInt(reader);
  }
  return next;
}

/** ONNX's integers have 64 bits, but valid ids and indexes fit into 32. */
export function readInt(reader: PbfReader): number {
  const value = reader.readVarint(true);
  if ((value | 0) !== value) {
    throw new ModelInvalid(`the integer ${value} is out of range`);
  }
  return value;
}

/** Decodes a range of a buffer. */
export type Words = (buf: Uint8Array, from: number, end: number) => string;

/** Appends the field's strings at the reader's position. */
export function readTexts(reader: PbfReader, field: number, words: Words, texts: string[]): void {
  const tag = tagOf(reader, field);
  const { buf } = reader;
  for (;;) {
    const end = sectionEnd(reader);
    texts.push(words(buf, reader.pos, end));
    reader.pos = end;
    if (buf[reader.pos] !== tag) {
      return;
    }
    reader.pos += 1;
  }
}

/** Skips the field's strings at the reader's position. */
export function skipTexts(reader: PbfReader, field: number): void {
  const tag = tagOf(reader, field);
  reader.pos = sectionEnd(reader);
  while (reader.buf[reader.pos] === tag) {
    reader.pos += 1;
    reader.pos = sectionEnd(reader);
  }
}
