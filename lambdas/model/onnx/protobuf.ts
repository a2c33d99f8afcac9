import { PbfReader } from 'pbf';
import { ModelInvalid } from './errors.ts';

/** Called once a field; what it does not read is skipped. */
export type FieldReader = (field: number, reader: PbfReader) => void;

/** Wire type of protobuf's length-delimited values: strings, messages, packed numbers. */
const LENGTH_DELIMITED = 2;

/**
 * Reads one message, refusing what runs past its end: `pbf` alone reads on into whatever follows.
 * Every call consumes at least a byte of the message, so it ends with it.
 */
export function readMessage(bytes: Uint8Array, onField: FieldReader): void {
  const reader = new PbfReader(bytes);
  try {
    reader.readFields((field) => onField(field, reader), undefined);
  } catch (error) {
    if (error instanceof ModelInvalid) {
      throw error;
    }
    // In `pbf`'s words, e.g. "Unimplemented type: 4": of anything that is no protobuf.
    const message = error instanceof Error ? error.message : String(error);
    throw new ModelInvalid(`it is no ONNX (${message})`);
  }
  if (reader.pos !== bytes.length) {
    throw new ModelInvalid('it is truncated');
  }
}

/** Where the length-delimited field ends that the reader stands at; the reader is then at its first byte. */
export function sectionEnd(reader: PbfReader): number {
  if (reader.type !== LENGTH_DELIMITED) {
    throw new ModelInvalid('a field is not of the type that ONNX gives it');
  }
  const length = reader.readVarint();
  if (length > reader.length - reader.pos) {
    throw new ModelInvalid('it is truncated');
  }
  return reader.pos + length;
}

/** The bytes of the length-delimited field the reader stands at. */
export function readSection(reader: PbfReader): Uint8Array {
  const end = sectionEnd(reader);
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

/** Whether the field's numbers stand packed in one section or each under its own tag. */
export function isPacked(reader: PbfReader): boolean {
  return reader.type === LENGTH_DELIMITED;
}
