/** What a program needs to hold a JSON text, whatever its bytes. */
export interface JsonShape {
  /** How deep arrays and objects nest. */
  readonly depth: number;
  /** The number of arrays and objects. */
  readonly containers: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;

/**
 * The shape of a JSON text. Safe on any bytes and without memory, so it can run before `JSON.parse`, which
 * takes some 60 bytes for each `[` and 100 for each `{}`.
 */
export function jsonShape(bytes: Uint8Array): JsonShape {
  let open = 0;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = closingQuote(bytes, at);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      containers++;
      depth = Math.max(depth, ++open);
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) open--;
  }
  return { depth, containers };
}

function closingQuote(bytes: Uint8Array, quote: number): number {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
