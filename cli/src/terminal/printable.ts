/**
 * Control characters (C0, DEL, C1), invisible format characters and line separators. Names in files and
 * texts of a server could otherwise move the cursor, change the title of a terminal or reverse text
 * (https://unicode.org/reports/tr36/#Bidirectional_Text_Spoofing).
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Surrogate}/gu;

/** One line without control characters; each is shown by its code point. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => escaped(character));
}

/** JSON on one line, in which unprintable characters are escaped, also those that JSON allows. */
export function printableJson(value: unknown): string {
  // In JSON text these characters occur only within strings, where an escape means the same.
  return printable(JSON.stringify(value));
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    const unit = character.charCodeAt(i).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}
