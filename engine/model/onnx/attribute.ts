import { NumberList, readFloats, readInt, readInts, readTexts, type WordIndex } from './lists.ts';
import { decodeText, readMessage, readSection, readText } from './protobuf.ts';

/** A list of strings, which may repeat a few words ("BRANCH_LEQ", "LEAF") a million times. */
export interface Texts {
  readonly words: readonly string[];
  readonly indexes: Int32Array;
}

/** An operator's attribute (onnx.proto, AttributeProto) with its lists as flat arrays. */
export interface Attribute {
  readonly name: string;
  readonly float: number | undefined;
  readonly int: number | undefined;
  readonly text: string | undefined;
  readonly floats: Float32Array;
  readonly ints: Int32Array;
  readonly texts: Texts;
  /** An undecoded TensorProto for {@link readTensor}. */
  readonly tensor: Uint8Array | undefined;
}

/** Field numbers of AttributeProto. */
const field = { name: 1, f: 2, i: 3, s: 4, t: 5, floats: 7, ints: 8, strings: 9 } as const;

export function readAttribute(bytes: Uint8Array): Attribute {
  const floats = new NumberList((length) => new Float32Array(length));
  const ints = new NumberList((length) => new Int32Array(length));
  const textIndexes = new NumberList((length) => new Int32Array(length));
  const words: string[] = [];
  const wordIndex = createWordIndex(words);
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
        readTexts(reader, tag, wordIndex, textIndexes);
        break;
    }
  });
  return {
    ...{ name, float, int, text, tensor },
    floats: floats.numbers(),
    ints: ints.numbers(),
    texts: { words, indexes: textIndexes.numbers() },
  };
}

/**
 * The number of words that are compared with new strings: a list either repeats a few words or does not repeat
 * any.
 */
const MAX_KNOWN_WORDS = 16;

/** Appends words that are not among the known ones. */
function createWordIndex(words: string[]): WordIndex {
  const known: Uint8Array[] = [];
  return (buf, from, end) => {
    // An iterator would allocate an object for each of a million strings.
    for (let i = 0; i < known.length; i++) {
      const word = known[i];
      if (word && isWordAt(word, buf, from, end)) return i;
    }
    const bytes = buf.subarray(from, end);
    if (known.length < MAX_KNOWN_WORDS) known.push(bytes);
    return words.push(decodeText(bytes)) - 1;
  };
}

function isWordAt(word: Uint8Array, buf: Uint8Array, from: number, end: number): boolean {
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
