import { JOIN, START } from './aggregates.ts';
import { EQUALS, FEATURE, type Forest, MISSING_TAKES_FIRST } from './forest.ts';

/**
 * The evaluator in plain TypeScript: what `walk.wat` must equal to the bit, and what runs where that
 * does not (MIN and MAX, forests beyond 4 GiB). Comparisons are float32 against float32, as ONNX
 * compares; sums over trees are float64, so that their order doesn't show in float32 results.
 *
 * @param points `count` × `features`, row-major
 * @param out room for `count` × `targets`
 */
export function evaluate(
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
      const leaf = leafOf(forest, root, points, point * forest.features) * targets;
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

/** What the sum over trees is divided by. */
export function divisorOf({ aggregate, roots }: Forest): number {
  return aggregate === 'AVERAGE' ? roots.length : 1;
}

// `as number` stands where `noUncheckedIndexedAccess` sees a hole: a forest is checked once when it
// is planted, and a fallback per step would cost a tenth of the speed.
function leafOf(
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
