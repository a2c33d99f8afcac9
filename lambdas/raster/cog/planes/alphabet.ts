/** Symbols of deflate's literal and length alphabet that a code may have (RFC 1951, section 3.2.5). */
export const SYMBOLS = 286;
export const END_OF_BLOCK = 256;

/** A run is one match at distance 1, that long: less would be no shorter than its bytes. */
export const LEAST_RUN = 8;
/** A match's least and greatest length. */
export const LEAST_MATCH = 3;
export const MOST_MATCH = 258;

interface LengthSymbol {
  readonly symbol: number;
  readonly extraBits: number;
  /** What the extra bits say. */
  readonly extra: number;
}

/** By length less the least. */
export const LENGTH_SYMBOLS: readonly LengthSymbol[] = lengthSymbols();

function lengthSymbols(): LengthSymbol[] {
  const symbols: LengthSymbol[] = [];
  for (let symbol = 257; symbol < 285; symbol += 1) {
    const extraBits = symbol < 265 ? 0 : (symbol - 261) >> 2;
    for (let extra = 0; extra < 2 ** extraBits; extra += 1) {
      symbols.push({ symbol, extraBits, extra });
    }
  }
  // The longest has a symbol of its own, though the last but one's extra bits would reach it.
  symbols[MOST_MATCH - LEAST_MATCH] = { symbol: 285, extraBits: 0, extra: 0 };
  return symbols;
}

/** Extra bits a symbol brings, that of the distance (one code, of one bit) included. */
export const BITS_BESIDE: Uint8Array = Uint8Array.from({ length: SYMBOLS }, (_, symbol) => {
  if (symbol <= END_OF_BLOCK) return 0;
  return 1 + (LENGTH_SYMBOLS.find((length) => length.symbol === symbol)?.extraBits ?? 0);
});
