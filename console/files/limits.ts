/** A request has at most 4 MB, so a larger file could not be sent anyway. */
export const MOST_BYTES = 50_000_000;
