const CLOSER = { '[': ']', '{': '}' } as const;
type Opener = keyof typeof CLOSER;

const SPACE = /[ \t\n\r]*/y;
/** RFC 8259 section 7, `unescaped` */
const PLAIN_CHARACTERS = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Where a text that `JSON.parse` refused stops being JSON (RFC 8259): the index of the first
 * character that can't stand where it does, or of the token that begins there; the text's length when
 * it only ends too early. The parser itself names the place for some faults and not for others.
 */
export function faultIn(text: string): number {
  const open: Opener[] = [];
  let expected: 'value' | 'name' | 'separator' = 'value';
  let at = 0;
  for (;;) {
    at = skip(SPACE, text, at);
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
      at = skip(SPACE, text, name.at);
      if (text[at] !== ':') return at;
      expected = 'value';
      at++;
    } else if (character === '[' || character === '{') {
      at = skip(SPACE, text, at + 1);
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

/** Behind the token if it is whole, else where it breaks. */
interface Reading {
  readonly whole: boolean;
  readonly at: number;
}

function readString(text: string, quote: number): Reading {
  let at = skip(PLAIN_CHARACTERS, text, quote + 1);
  while (text[at] === '\\') {
    const behind = skip(ESCAPE, text, at);
    if (behind === at) return { whole: false, at };
    at = skip(PLAIN_CHARACTERS, text, behind);
  }
  return text[at] === '"' ? { whole: true, at: at + 1 } : { whole: false, at };
}

function readScalar(text: string, start: number): Reading {
  const at = skip(SCALAR, text, start);
  return { whole: at > start, at };
}

/** Behind what the pattern matches at this index; the index itself where it doesn't. */
function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
