import * as z from 'zod/mini';
import { countChunks } from './block-nodes.ts';

const finite = z.number();
const notNegative = finite.check(z.minimum(0));
const count = z.int().check(z.minimum(0));
const positive = z.int().check(z.positive());
const edge = positive.check(z.refine((k) => Number.isInteger(Math.log2(k)), 'a power of two'));

/** Σ fᵢ σᵢ, Σ fᵢ lᵢ and Σ fᵢ uᵢ over cells; divided by their area they are means. */
export const errorWidths = z.readonly(
  z.strictObject({ sd: notNegative, lower: notNegative, upper: notNegative }),
);

/**
 * The errors of a block's cells: fᵢ square metres of the polygon lie in cell i, whose interval has the half-widths
 * lᵢ and uᵢ. σᵢ is the standard deviation of the cell's error, and σ′ᵢ that of the part of the error that not all
 * cells share.
 */
const errors = z.readonly(
  z
    .strictObject({
      edges: z.readonly(z.strictObject({ cols: edge, rows: edge })),
      /** Counted from the raster's corner. */
      nodes: z.readonly(
        z.strictObject({ col: count, row: count, width: positive, height: positive }),
      ),
      /** Σ fᵢ² σ′ᵢ² */
      squares: notNegative,
      widths: errorWidths,
      /** The stored chunks, ascending; they follow each other at the end of the block's bytes. */
      chunks: z.readonly(z.array(count)),
    })
    .check(
      z.refine(({ nodes, chunks }) => {
        const all = countChunks(nodes);
        return chunks.every((chunk, i) => chunk < all && chunk > (chunks[i - 1] ?? -1));
      }, 'chunks: ascending, within the nodes'),
    ),
);

export const blockSums = z.readonly(
  z.strictObject({
    /** Square metres of the polygon in all cells, in those that belong to it, and in those with a value. */
    covered: notNegative,
    belonging: notNegative,
    predicted: notNegative,
    /** Σ fᵢ μᵢ over the cells with a value */
    values: finite,
    /** The number of cells with a value that the property cannot have. */
    impossible: count,
    /** The number of cells whose value lies outside their bounds; absent if `errors` is null. */
    outsideBounds: z.optional(count),
    /** The number of cells with a covariate outside the training values; absent if the model does not state them. */
    outsideTraining: z.optional(count),
    /** The number of cells outside the area of applicability; absent if the model does not state it. */
    outsideApplicability: z.optional(count),
    /** Null if the model does not declare the correlation of its errors. */
    errors: z.nullable(errors),
  }),
);

export type ErrorWidths = z.infer<typeof errorWidths>;
export type BlockSums = z.infer<typeof blockSums>;
export type ErrorSums = NonNullable<BlockSums['errors']>;

export interface SummedBlock {
  readonly sums: BlockSums;
  readonly nodes: readonly Uint8Array[];
}
