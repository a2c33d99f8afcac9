const CLOSER = { '[': ']', '{': '}' } as const;
type Opener = keyof typeof CLOSER;

const SPACE = /[ \t\n\r]*/y;
/** RFC 8259 section 7, `unescaped` */
const PLAIN_CHARACTERS = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * The position at which a text that `JSON.parse` rejected stops being JSON (RFC 8259): the index of
 * the first unexpected character, or the start of an invalid literal or escape sequence; the length
 * of a text that ends between tokens or within a string.
 */
export function findJsonFault(text: string): number {
  const open: Opener[] = [];
  let expected: 'value' | 'name' | 'separator' = 'value';
  let at = 0;
  for (;;) {
    at = skipPattern(SPACE, text, at);
    const character = text[at];
    if (character === undefined) return at;
    const container = open.at(-1);
    if (expected === 'separator') {
      if (container === undefined) return at;
      if (character === CLOSER[container]) open.pop();
      else if (character !== ',') return at;
      else expected = container === '{' ? 'name' : 'value';
      at++;
    } else if (expected === 'name') {
      if (character !== '"') return at;
      const name = readString(text, at);
      if (!name.whole) return name.at;
      at = skipPattern(SPACE, text, name.at);
      if (text[at] !== ':') return at;
      expected = 'value';
      at++;
    } else if (character === '[' || character === '{') {
      at = skipPattern(SPACE, text, at + 1);
      const empty = text[at] === CLOSER[character];
      if (empty) at++;
      else open.push(character);
      expected = empty ? 'separator' : character === '{' ? 'name' : 'value';
    } else {
      const scalar = character === '"' ? readString(text, at) : readScalar(text, at);
      if (!scalar.whole) return scalar.at;
      expected = 'separator';
      at = scalar.at;
    }
  }
}

/** `at` is the position after the token if the token is whole, otherwise the position of the fault. */
interface Reading {
  readonly whole: boolean;
  readonly at: number;
}

function readString(text: string, quote: number): Reading {
  let at = skipPattern(PLAIN_CHARACTERS, text, quote + 1);
  while (text[at] === '\\') {
    const after = skipPattern(ESCAPE, text, at);
    if (after === at) return { whole: false, at };
    at = skipPattern(PLAIN_CHARACTERS, text, after);
  }
  return text[at] === '"' ? { whole: true, at: at + 1 } : { whole: false, at };
}

function readScalar(text: string, start: number): Reading {
  const at = skipPattern(SCALAR, text, start);
  return { whole: at > start, at };
}

/** The position after the pattern's match at this index; the index itself if it does not match. */
function skipPattern(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
