/** The range of columns of a ring. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * On a global grid of `width` columns, moves the rings west of the widest gap by `width` columns, so
 * that parts on both sides of the seam become adjacent.
 */
export function joinAcrossSeam(
  rings: readonly Float64Array[],
  width: number,
): readonly Float64Array[] {
  const spans = rings.map(spanOf).sort((a, b) => a.from - b.from);
  const [first] = spans;
  if (first === undefined) return rings;
  let end = first.to;
  let widest = { gap: 0, until: Number.NEGATIVE_INFINITY };
  for (const { from, to } of spans) {
    if (from - end > widest.gap) widest = { gap: from - end, until: from };
    end = Math.max(end, to);
  }
  const gapOverSeam = first.from + width - end;
  if (widest.gap <= gapOverSeam) return rings;
  return rings.map((ring) =>
    spanOf(ring).from < widest.until ? ring.map((at, i) => (i % 2 === 0 ? at + width : at)) : ring,
  );
}

function spanOf(ring: Float64Array): Span {
  let [from, to] = [Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    from = Math.min(from, ring[i] ?? Infinity);
    to = Math.max(to, ring[i] ?? -Infinity);
  }
  return { from, to };
}
