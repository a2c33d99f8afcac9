import { NumberList, readFloats, readInt, readInts, readTexts, type Words } from './lists.ts';
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

export function readAttribute(bytes: Uint8Array): Attribute {
  const floats = new NumberList((length) => new Float32Array(length));
  const ints = new NumberList((length) => new Int32Array(length));
  const texts: string[] = [];
  const words = memoizedWords();
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
        readFloats(reader, tag, floats);
        break;
      case field.ints:
        readInts(reader, tag, ints);
        break;
      case field.strings:
        readTexts(reader, tag, words, texts);
        break;
    }
  });
  return {
    ...{ name, float, int, text, texts, tensor },
    floats: floats.numbers(),
    ints: ints.numbers(),
  };
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
