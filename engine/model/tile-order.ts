/** Cells along an edge: a tile has 256 cells, half a block of the tree evaluator. */
const EDGE = 16;

/**
 * Divides a window into tiles and lists their cells tile by tile, as the parts of the window's rows that lie in
 * a tile. Cells that are close have similar covariates, and so take the same path through most nodes of a tree.
 *
 * @param cells number of cells in the window
 * @yields indexes of cells, row-major: from `from` (inclusive) to `to` (exclusive)
 */
export function* walkTiles(cells: number, width: number): Generator<{ from: number; to: number }> {
  const height = cells / width;
  for (let top = 0; top < height; top += EDGE) {
    const bottom = Math.min(top + EDGE, height);
    for (let left = 0; left < width; left += EDGE) {
      const right = Math.min(left + EDGE, width);
      for (let row = top; row < bottom; row++) {
        yield { from: row * width + left, to: row * width + right };
      }
    }
  }
}
