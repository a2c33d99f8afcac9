import {
  countFloats,
  countInts,
  readFloats,
  readInt,
  readInts,
  readTexts,
  skipTexts,
  type Words,
} from './lists.ts';
import { decodeText, readMessage, readSection, readText } from './protobuf.ts';

/** An operator's attribute (onnx.proto, AttributeProto) with its lists as flat arrays. */
export interface Attribute {
  readonly name: string;
  readonly float: number | undefined;
  readonly int: number | undefined;
  readonly text: string | undefined;
  readonly floats: Float32Array;
  readonly ints: Int32Array;
  readonly texts: readonly string[];
  /** An undecoded TensorProto for {@link readTensor}. */
  readonly tensor: Uint8Array | undefined;
}

/** Field numbers of AttributeProto. */
const field = { name: 1, f: 2, i: 3, s: 4, t: 5, floats: 7, ints: 8, strings: 9 } as const;

/**
 * Two passes: count, then fill. 500 trees make lists of millions, and arrays of the exact size take no
 * more memory than the file has bytes.
 */
export function readAttribute(bytes: Uint8Array): Attribute {
  const { floats, ints } = count(bytes);
  const lists = { floats: new Float32Array(floats), ints: new Int32Array(ints) };
  const texts: string[] = [];
  const words = memoizedWords();
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
        floatAt = readFloats(reader, tag, lists.floats, floatAt);
        break;
      case field.ints:
        intAt = readInts(reader, tag, lists.ints, intAt);
        break;
      case field.strings:
        readTexts(reader, tag, words, texts);
        break;
    }
  });
  return { name, float, int, text, ...lists, texts, tensor };
}

/** Size of the memo: a list repeats a few words ("BRANCH_LEQ", "LEAF") a million times, or none. */
const MEMOIZED = 16;

/** Decodes UTF-8; memoizes the first few words. */
function memoizedWords(): Words {
  const known: { readonly bytes: Uint8Array; readonly text: string }[] = [];
  return (buf, from, end) => {
    for (const word of known) {
      if (isAt(word.bytes, buf, from, end)) {
        return word.text;
      }
    }
    const bytes = buf.subarray(from, end);
    const text = decodeText(bytes);
    if (known.length < MEMOIZED) {
      known.push({ bytes, text });
    }
    return text;
  };
}

function isAt(word: Uint8Array, buf: Uint8Array, from: number, end: number): boolean {
  if (word.length !== end - from) {
    return false;
  }
  for (let i = 0; i < word.length; i++) {
    if (word[i] !== buf[from + i]) {
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
      floats += countFloats(reader, tag);
    } else if (tag === field.ints) {
      ints += countInts(reader, tag);
    } else if (tag === field.strings) {
      skipTexts(reader, tag);
    }
  });
  return { floats, ints };
}
