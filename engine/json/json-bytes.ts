/**
 * A span of bytes in a JSON text, so that a part of the text can be stored and returned exactly as sent. `JSON.parse`
 * loses the spelling of numbers and duplicate keys, and may change the order of keys.
 */
export interface Span {
  readonly start: number;
  /** The offset after the last byte. */
  readonly end: number;
}

export interface FieldSpan extends Span {
  readonly name: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;
/** RFC 8259 section 2 */
const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

// Not sets, which would be slower: these functions run for every byte of a text.
const isOpening = (byte: number) => byte === OPEN_ARRAY || byte === OPEN_OBJECT;
const isClosing = (byte: number) => byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;

/**
 * The fields of the object that a text consists of, in order, duplicates included. Does not
 * validate the text, which must have passed `JSON.parse`.
 */
export function listFieldSpans(
  bytes: Uint8Array,
  most = Number.POSITIVE_INFINITY,
): readonly FieldSpan[] {
  const fields: FieldSpan[] = [];
  for (const field of walkFields(bytes, 0)) {
    if (fields.length >= most) break;
    fields.push(field);
  }
  return fields;
}

function* walkFields(bytes: Uint8Array, from: number): Generator<FieldSpan> {
  const open = skipWhitespace(bytes, from);
  if (bytes[open] !== OPEN_OBJECT) return;
  let at = skipWhitespace(bytes, open + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = findStringEnd(bytes, at);
    const name = parseFieldName(decodeSpan(bytes, { start: at, end: nameEnd }));
    const start = skipWhitespace(bytes, skipWhitespace(bytes, nameEnd) + 1);
    const end = findValueEnd(bytes, start);
    yield { name, start, end };
    at = findNextItem(bytes, end);
  }
}

function parseFieldName(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

const UTF8 = new TextDecoder();

export function decodeSpan(bytes: Uint8Array, { start, end }: Span = spanOfAll(bytes)): string {
  return UTF8.decode(bytes.subarray(start, end));
}

function spanOfAll(bytes: Uint8Array): Span {
  return { start: 0, end: bytes.length };
}

function findNextItem(bytes: Uint8Array, valueEnd: number): number {
  const at = skipWhitespace(bytes, valueEnd);
  return bytes[at] === COMMA ? skipWhitespace(bytes, at + 1) : at;
}

function skipWhitespace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (WHITESPACE.has(bytes[at] ?? 0)) at++;
  return at;
}

function findStringEnd(bytes: Uint8Array, quote: number): number {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function findValueEnd(bytes: Uint8Array, from: number): number {
  const first = bytes[from] ?? 0;
  if (first === QUOTE) return findStringEnd(bytes, from);
  return isOpening(first) ? findContainerEnd(bytes, from) : findScalarEnd(bytes, from);
}

function findContainerEnd(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = findStringEnd(bytes, at) - 1;
    else if (isOpening(byte)) depth++;
    else if (isClosing(byte) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function findScalarEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === COMMA || isClosing(byte) || WHITESPACE.has(byte)) break;
    at++;
  }
  return at;
}

export interface JsonShape {
  readonly depth: number;
  readonly containers: number;
}

/** Safe on any bytes and in constant memory, so that it can run before `JSON.parse`. */
export function measureJsonShape(bytes: Uint8Array): JsonShape {
  let open = 0;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = findStringEnd(bytes, at) - 1;
    else if (isOpening(byte)) {
      containers++;
      depth = Math.max(depth, ++open);
    } else if (isClosing(byte)) open--;
  }
  return { depth, containers };
}
