import { PbfReader } from 'pbf';
import { messageOf } from '../../errors/message-of.ts';
import { GraphNotSupported, ModelInvalid } from './errors.ts';

/** Called for each field. A field that the callback does not read is skipped. */
export type FieldReader = (field: number, reader: PbfReader) => void;

/** Protobuf's wire type of length-delimited values: strings, messages, packed numbers. */
const LENGTH_DELIMITED = 2;

/** Reads one message and rejects values that exceed its end, which `pbf` does not check. */
export function readMessage(bytes: Uint8Array, onField: FieldReader): void {
  const reader = new PbfReader(bytes);
  try {
    reader.readFields((field) => onField(field, reader), undefined);
  } catch (error) {
    if (error instanceof ModelInvalid || error instanceof GraphNotSupported) {
      throw error;
    }
    // An error of `pbf`, e.g. "Unimplemented type: 4", for bytes that are not protobuf.
    const message = messageOf(error);
    throw new ModelInvalid(`it is not an ONNX file (${message})`);
  }
  if (reader.pos !== bytes.length) {
    throw new ModelInvalid('it is truncated');
  }
}

/** Moves the reader to the first byte of a length-delimited field and returns the field's end. */
export function readSectionEnd(reader: PbfReader): number {
  if (reader.type !== LENGTH_DELIMITED) {
    throw new ModelInvalid('a field does not have its ONNX type');
  }
  const length = reader.readVarint();
  if (length > reader.length - reader.pos) {
    throw new ModelInvalid('it is truncated');
  }
  return reader.pos + length;
}

export function readSection(reader: PbfReader): Uint8Array {
  const end = readSectionEnd(reader);
  const section = reader.buf.subarray(reader.pos, end);
  reader.pos = end;
  return section;
}

const utf8 = new TextDecoder();

export function decodeText(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

export function readText(reader: PbfReader): string {
  return decodeText(readSection(reader));
}

/** Whether the field's numbers are packed in one section instead of having a tag each. */
export function isPacked(reader: PbfReader): boolean {
  return reader.type === LENGTH_DELIMITED;
}
