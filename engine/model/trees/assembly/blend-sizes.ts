// The kernel of large trees and the code that reserves its memory share these sizes.

/** Points whose leaves in a tree are blended together: a tile of `tile-order.ts`. A multiple of 4. */
export const PART = 256;
/** The most open nodes of a tree with which blending is faster than splitting lists of points. Even. */
export const MOST_OPEN = 48;
/** The size in bytes of a list of nodes and of the lists with a word for each point, together. */
export const BLEND_BYTES = 8 * MOST_OPEN + 16 + (MOST_OPEN / 2) * PART * 4;
