import { PbfReader } from 'pbf';
import { ModelInvalid } from './errors.ts';
import { decodeText, isPacked, readMessage, readSection, readText } from './protobuf.ts';

/** An operator's attribute (onnx.proto, AttributeProto), its lists as flat arrays. */
export interface Attribute {
  readonly name: string;
  readonly float: number | undefined;
  readonly int: number | undefined;
  readonly text: string | undefined;
  readonly floats: Float32Array;
  readonly ints: Int32Array;
  readonly texts: readonly string[];
  /** A TensorProto, not read yet: {@link readTensor} does. */
  readonly tensor: Uint8Array | undefined;
}

/** Field numbers of AttributeProto. */
const field = { name: 1, f: 2, i: 3, s: 4, t: 5, floats: 7, ints: 8, strings: 9 } as const;

/**
 * Two passes, counting and then filling: 500 trees make lists of millions, and arrays of the exact
 * size cost no more memory than the file has bytes for.
 */
export function readAttribute(bytes: Uint8Array): Attribute {
  const { floats, ints } = count(bytes);
  const lists = { floats: new Float32Array(floats), ints: new Int32Array(ints) };
  const texts: string[] = [];
  const words = rememberedWords();
  let floatAt = 0;
  let intAt = 0;
  let name = '';
  let float: number | undefined;
  let int: number | undefined;
  let text: string | undefined;
  let tensor: Uint8Array | undefined;

  readMessage(bytes, (tag, reader) => {
    switch (tag) {
      case field.name:
        name = readText(reader);
        break;
      case field.f:
        float = reader.readFloat();
        break;
      case field.i:
        int = readInt(reader);
        break;
      case field.s:
        text = readText(reader);
        break;
      case field.t:
        tensor = readSection(reader);
        break;
      case field.floats:
        eachNumber(reader, (numbers) => {
          lists.floats[floatAt++] = numbers.readFloat();
        });
        break;
      case field.ints:
        eachNumber(reader, (numbers) => {
          lists.ints[intAt++] = readInt(numbers);
        });
        break;
      case field.strings:
        texts.push(words(readSection(reader)));
        break;
    }
  });
  return { name, float, int, text, ...lists, texts, tensor };
}

/** Words worth remembering: a list has a few ("BRANCH_LEQ", "LEAF") a million times, or all different. */
const REMEMBERED = 16;

/** Decodes UTF-8, each of the first few words once. */
function rememberedWords(): (bytes: Uint8Array) => string {
  const known: { readonly bytes: Uint8Array; readonly text: string }[] = [];
  return (bytes) => {
    const found = known.find((word) => isEqual(word.bytes, bytes));
    if (found) {
      return found.text;
    }
    const text = decodeText(bytes);
    if (known.length < REMEMBERED) {
      known.push({ bytes, text });
    }
    return text;
  };
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) {
    return false;
  }
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) {
      return false;
    }
  }
  return true;
}

function count(bytes: Uint8Array): { floats: number; ints: number } {
  let floats = 0;
  let ints = 0;
  readMessage(bytes, (tag, reader) => {
    if (tag === field.floats) {
      floats += isPacked(reader) ? readSection(reader).length / 4 : 1;
    } else if (tag === field.ints) {
      // A varint ends at the byte without the continuation bit.
      ints += isPacked(reader) ? readSection(reader).filter((byte) => byte < 0x80).length : 1;
    }
  });
  if (!Number.isInteger(floats)) {
    throw new ModelInvalid('a list of floats ends inside a float');
  }
  return { floats, ints };
}

/** The field's numbers, packed or one (proto2 writers don't pack, proto3 writers do). */
function eachNumber(reader: PbfReader, read: (numbers: PbfReader) => void): void {
  if (!isPacked(reader)) {
    read(reader);
    return;
  }
  const numbers = new PbfReader(readSection(reader));
  while (numbers.pos < numbers.length) {
    read(numbers);
  }
}

/** ONNX's integers have 64 bits; ids and indexes that need more than 32 are nonsense. */
function readInt(reader: PbfReader): number {
  const value = reader.readVarint(true);
  if ((value | 0) !== value) {
    throw new ModelInvalid(`the integer ${value} is out of range`);
  }
  return value;
}
