import type { BlockCode } from './block-code.ts';

/** Of a tile of floats; rows are the tile's, filled up where the raster ends. */
export interface PlanesShape {
  readonly rows: number;
  /** Cells a row times bands: a multiple of 16, as tiles' edges are. */
  readonly rowSamples: number;
  readonly bands: number;
}

/**
 * A tile as predictor 3 leaves it: of each row the most significant bytes of all samples, then the
 * second ones, the third and the last. Such a stretch of bytes is a plane. Planes of smooth rasters
 * begin with little but zeros and end in noise, so each has the code that suits it, or none.
 */
export interface TilePlanes {
  /** To be filled, then predicted. */
  readonly row: Float32Array;
  predict(y: number): void;
  /** Row y becomes the one before it. */
  repeat(y: number): void;
  tally(): Tally;
  /** The tile as a zlib stream (RFC 1950): good until the next is written. */
  write(plan: BlockPlan): Uint8Array;
}

export const PLANES = 4;

/** Kinds of planes, by the share of their bytes that equal the one before: at least 7/8, 1/2, 1/8, 1/32. */
export const KINDS = 5;

export interface Tally {
  /** Of each plane, in the order of the bytes. */
  readonly kinds: Uint8Array;
  /** By kind, how often each of deflate's symbols is needed. */
  readonly counts: readonly Uint32Array[];
}

/** How planes are written: neighbours of one code in one block, the rest as they are. */
export interface BlockPlan {
  readonly kinds: Uint8Array;
  /** By kind: a number of `codes`, or STORED. */
  readonly codeOfKind: Uint8Array;
  readonly codes: readonly BlockCode[];
}

export const STORED = 255;

/** A stored block's length is a 16-bit number (RFC 1951, section 3.2.4). */
export const MOST_STORED_BYTES = 65_535;

/** RFC 1950: window of 32 kB, fastest algorithm; the checksum stands at the end. */
export const ZLIB_HEADER = [0x78, 0x01] as const;
export const ZLIB_CHECKSUM_BYTES = 4;
