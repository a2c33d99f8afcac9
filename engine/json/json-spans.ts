/**
 * Byte spans in a JSON text, so that a part of it can be stored and returned exactly as sent.
 * `JSON.parse` loses number spelling, duplicate keys and key order, and no parsing library keeps byte
 * positions. The text must have passed `JSON.parse`: these functions do not validate.
 */
export interface Span {
  readonly start: number;
  /** Exclusive. */
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

// Plain comparisons: they run for every byte of some megabytes, and a set takes ten times as long.
const opens = (byte: number) => byte === OPEN_ARRAY || byte === OPEN_OBJECT;
const closes = (byte: number) => byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;

/**
 * The fields of the object that a text consists of, in order, duplicates included.
 * @param most stops reading after this many
 */
export function fieldSpans(
  bytes: Uint8Array,
  most = Number.POSITIVE_INFINITY,
): readonly FieldSpan[] {
  const fields: FieldSpan[] = [];
  for (const field of fieldsAt(bytes, 0)) {
    if (fields.length >= most) break;
    fields.push(field);
  }
  return fields;
}

/** The fields of the object that starts at `from`, in order, duplicates included; none of another value. */
function* fieldsAt(bytes: Uint8Array, from: number): Generator<FieldSpan> {
  const open = skipWhitespace(bytes, from);
  if (bytes[open] !== OPEN_OBJECT) return;
  let at = skipWhitespace(bytes, open + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = endOfString(bytes, at);
    const name = nameIn(textOf(bytes, { start: at, end: nameEnd }));
    const start = skipWhitespace(bytes, skipWhitespace(bytes, nameEnd) + 1);
    const end = endOfValue(bytes, start);
    yield { name, start, end };
    at = nextItem(bytes, end);
  }
}

/** Most names have no escape: without the parser, reading a field takes a third of the time. */
function nameIn(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

/** The elements of an array, in order. */
export function elementSpans(bytes: Uint8Array): readonly Span[] {
  const elements: Span[] = [];
  let at = skipWhitespace(bytes, skipWhitespace(bytes, 0) + 1);
  while (at < bytes.length && !closes(bytes[at] ?? 0)) {
    const end = endOfValue(bytes, at);
    elements.push({ start: at, end });
    at = nextItem(bytes, end);
  }
  return elements;
}

/** One for all texts: making it takes longer than decoding a name. */
const UTF8 = new TextDecoder();

export function textOf(bytes: Uint8Array, { start, end }: Span = wholeOf(bytes)): string {
  return UTF8.decode(bytes.subarray(start, end));
}

function wholeOf(bytes: Uint8Array): Span {
  return { start: 0, end: bytes.length };
}

function nextItem(bytes: Uint8Array, valueEnd: number): number {
  const at = skipWhitespace(bytes, valueEnd);
  return bytes[at] === COMMA ? skipWhitespace(bytes, at + 1) : at;
}

function skipWhitespace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (WHITESPACE.has(bytes[at] ?? 0)) at++;
  return at;
}

function endOfString(bytes: Uint8Array, quote: number): number {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function endOfValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from] ?? 0;
  if (first === QUOTE) return endOfString(bytes, from);
  return opens(first) ? endOfContainer(bytes, from) : endOfScalar(bytes, from);
}

function endOfContainer(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (opens(byte)) depth++;
    else if (closes(byte) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function endOfScalar(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === COMMA || closes(byte) || WHITESPACE.has(byte)) break;
    at++;
  }
  return at;
}

/** The fields of an object that are read, each with the fields that are read of its own value. */
export interface ReadFields {
  readonly [name: string]: ReadFields;
}

/** A read field of an object, or of a value in it. */
interface FoundField extends Span {
  readonly path: readonly string[];
  /**
   * Whether it is the second of this path in its object. RFC 8259, section 4: which of them a program gets
   * is unpredictable; `JSON.parse` keeps the last.
   */
  readonly isRepeated: boolean;
}

/** The fields that are read of the object at `from`, and those of their values, in order. */
export function* readFields(
  bytes: Uint8Array,
  fields: ReadFields,
  from = 0,
): Generator<FoundField> {
  const counts = new Map<string, number>();
  for (const { name, start, end } of fieldsAt(bytes, from)) {
    const inner = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (inner === undefined) continue;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    yield { path: [name], start, end, isRepeated: count === 2 };
    if (Object.keys(inner).length === 0) continue;
    for (const field of readFields(bytes, inner, start)) {
      yield { ...field, path: [name, ...field.path] };
    }
  }
}

/** The values of the fields that are read of the object that a text consists of, by path: `a.b`. */
export function spansOf(bytes: Uint8Array, fields: ReadFields): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  for (const { path, start, end } of readFields(bytes, fields)) {
    spans.set(path.join('.'), { start, end });
  }
  return spans;
}
