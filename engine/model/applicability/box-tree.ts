/** A tree of boxes around points. The points of a box are neighbours; each child has half of them. */
interface BoxTree {
  /** The indexes of the points; the points of a box follow each other. */
  readonly order: Int32Array;
  /** The range of a box's points in `order`: [box][from, to]. */
  readonly ranges: Int32Array;
  /** The least and greatest coordinates of each box: [box][least …, greatest …]. */
  readonly corners: Float64Array;
  /** The first leaf; all boxes after it are leaves too. The children of any other box b are 2b + 1 and 2b + 2. */
  readonly firstLeaf: number;
}

const LEAF_POINTS = 8;

/** @param points `count` × `width` coordinates, row-major */
export function buildBoxTree(points: Float64Array, count: number, width: number): BoxTree {
  const depth = Math.max(0, Math.ceil(Math.log2(count / LEAF_POINTS)));
  const boxes = 2 ** (depth + 1) - 1;
  const order = Int32Array.from({ length: count }, (_, point) => point);
  const ranges = new Int32Array(boxes * 2);
  const corners = new Float64Array(boxes * 2 * width);
  const firstLeaf = 2 ** depth - 1;
  const coordinate = (point: number, k: number): number => points[point * width + k] ?? 0;

  function splitBox(box: number, from: number, to: number): void {
    const inBox = order.subarray(from, to);
    let [widest, spread] = [0, 0];
    for (let k = 0; k < width; k += 1) {
      const values = Array.from(inBox, (point) => coordinate(point, k));
      const [least, greatest] = [Math.min(...values), Math.max(...values)];
      corners[box * 2 * width + k] = least;
      corners[(box * 2 + 1) * width + k] = greatest;
      if (greatest - least > spread) [widest, spread] = [k, greatest - least];
    }
    ranges.set([from, to], box * 2);
    if (box >= firstLeaf) return;
    inBox.sort((a, b) => coordinate(a, widest) - coordinate(b, widest));
    const middle = (from + to) >> 1;
    splitBox(2 * box + 1, from, middle);
    splitBox(2 * box + 2, middle, to);
  }
  splitBox(0, 0, count);
  return { order, ranges, corners, firstLeaf };
}
