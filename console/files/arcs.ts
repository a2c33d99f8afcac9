type Position = readonly number[];

/** GDAL's default step (OGR_ARC_STEPSIZE). */
const STEP = (4 * Math.PI) / 180;

/**
 * Turns a circular string into a line: after the first position, each pair is the middle and the end of an arc.
 */
export function* lineOfArcs(positions: readonly Position[]): Generator<Position> {
  yield* positions.slice(0, 1);
  for (let at = 0; at + 1 < positions.length; at += 2) {
    const [start = [], middle = [], end] = positions.slice(at, at + 3);
    // With an even number of positions, the last arc is incomplete.
    if (end === undefined) yield middle;
    else yield* lineOfArc(start, middle, end);
  }
}

function lineOfArc(start: Position, middle: Position, end: Position): readonly Position[] {
  const circle = circleThrough(start, middle, end);
  if (circle === null) return [middle, end];
  const { x, y, radius } = circle;
  const angleOf = ([px = Number.NaN, py = Number.NaN]: Position) => Math.atan2(py - y, px - x);
  const from = angleOf(start);
  const turnTo = (position: Position) => (angleOf(position) - from + 4 * Math.PI) % (2 * Math.PI);
  // The arc runs counterclockwise if its middle comes before its end.
  const turn = turnTo(end);
  const sweep = isSame(start, end)
    ? 2 * Math.PI
    : turnTo(middle) <= turn
      ? turn
      : turn - 2 * Math.PI;
  const steps = Math.ceil(Math.abs(sweep) / STEP);
  const between = Array.from({ length: steps - 1 }, (_, index) => {
    const angle = from + (sweep * (index + 1)) / steps;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
  return [...between, end];
}

function isSame([ax, ay]: Position, [bx, by]: Position): boolean {
  return ax === bx && ay === by;
}

/** Null if there is no circle. In an arc that ends where it starts, the middle is opposite the start. */
function circleThrough(
  start: Position,
  [mx = Number.NaN, my = Number.NaN]: Position,
  end: Position,
): { readonly x: number; readonly y: number; readonly radius: number } | null {
  const [sx = Number.NaN, sy = Number.NaN] = start;
  const [ex = Number.NaN, ey = Number.NaN] = end;
  if (isSame(start, end)) {
    const radius = Math.hypot(mx - sx, my - sy) / 2;
    return radius > 0 ? { x: (sx + mx) / 2, y: (sy + my) / 2, radius } : null;
  }
  // Compute relative to the start, because large coordinates lose precision.
  const [ax, ay, bx, by] = [mx - sx, my - sy, ex - sx, ey - sy];
  const cross = 2 * (ax * by - ay * bx);
  const [a2, b2] = [ax * ax + ay * ay, bx * bx + by * by];
  const [dx, dy] = [(by * a2 - ay * b2) / cross, (ax * b2 - bx * a2) / cross];
  const radius = Math.hypot(dx, dy);
  // There is no circle through three positions on a line, or through a position with NaN.
  return Number.isFinite(radius) ? { x: sx + dx, y: sy + dy, radius } : null;
}
