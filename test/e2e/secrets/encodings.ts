export interface Encoding {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Returns a secret unchanged and in the usual encodings. Within a longer text, its base64 depends on its offset
 * modulo 3, so all three variants are included.
 */
export function encodingsOf(secret: string): readonly Encoding[] {
  const bytes = Buffer.from(secret, 'utf8');
  const escaped = JSON.stringify(secret).slice(1, -1);
  const ascii = escaped.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const texts: readonly (readonly [string, string])[] = [
    ['unchanged', secret],
    ['escaped as JSON', escaped],
    ['escaped as JSON twice', JSON.stringify(escaped).slice(1, -1)],
    ['escaped as JSON in ASCII', ascii],
    ['escaped for a URL', encodeURIComponent(secret)],
    ['escaped for a form', new URLSearchParams({ '': secret }).toString().slice(1)],
    ['in hexadecimal', bytes.toString('hex')],
    ['in upper-case hexadecimal', bytes.toString('hex').toUpperCase()],
    ...[0, 1, 2].flatMap((start) => {
      const whole = bytes.subarray(start, start + 3 * Math.floor((bytes.length - start) / 3));
      return [
        [`in base64 from byte ${start}`, whole.toString('base64')],
        [`in base64url from byte ${start}`, whole.toString('base64url')],
      ] as const;
    }),
  ];
  return texts.map(([name, text]) => ({ name, bytes: Buffer.from(text, 'utf8') }));
}
