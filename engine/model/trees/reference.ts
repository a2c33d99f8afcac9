import { EQUALS, FEATURE, type Forest, MISSING_TAKES_FIRST } from './forest.ts';
import { JOIN, START } from './leaves.ts';

/**
 * The reference evaluator in TypeScript, whose results the kernels in `assembly` must equal bit for bit. It also
 * evaluates what the kernels cannot: MIN and MAX, and forests above 4 GiB. Comparisons are in float32, as in ONNX.
 * Sums over trees are in float64, in the order of the trees.
 *
 * @param points `count` × `features`, row-major
 * @param out receives `count` × `targets`
 */
export function evaluateForest(
  forest: Forest,
  points: Float32Array,
  count: number,
  out: Float32Array,
): void {
  const { targets, leaves, aggregate } = forest;
  const join = JOIN[aggregate];
  const none = START[aggregate];
  const divisor = divisorOf(forest);
  const totals = new Float64Array(targets);
  for (let point = 0; point < count; point++) {
    totals.fill(none);
    for (const root of forest.roots) {
      const leaf = findLeaf(forest, root, points, point * forest.features) * targets;
      for (let t = 0; t < targets; t++) {
        totals[t] = join(totals[t] ?? 0, leaves[leaf + t] ?? 0);
      }
    }
    for (let t = 0; t < targets; t++) {
      const total = totals[t] ?? 0;
      const found = Object.is(total, none) ? 0 : total;
      out[point * targets + t] = found / divisor + (forest.baseValues[t] ?? 0);
    }
  }
}

export function divisorOf({ aggregate, roots }: Forest): number {
  return aggregate === 'AVERAGE' ? roots.length : 1;
}

// `as number` silences `noUncheckedIndexedAccess`: the forest was checked when it was built, and a
// fallback per step would cost speed.
function findLeaf(
  { nodes, thresholds }: Forest,
  root: number,
  points: Float32Array,
  point: number,
): number {
  let at = root;
  while (at >= 0) {
    const question = nodes[at] as number;
    const value = points[point + (question & FEATURE)] as number;
    const first = takesFirst(question, value, thresholds[at + 1] as number);
    at = nodes[first ? at + 2 : at + 3] as number;
  }
  return ~at;
}

function takesFirst(question: number, value: number, threshold: number): boolean {
  if (Number.isNaN(value)) {
    return (question & MISSING_TAKES_FIRST) !== 0;
  }
  return (question & EQUALS) !== 0 ? value === threshold : value <= threshold;
}
