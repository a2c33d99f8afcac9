import { orient2d } from 'robust-predicates';
import { type Chains, joinRings } from './chains.ts';
import { describeCut, describeMeeting, isJoint } from './crossings.ts';
import { comparePositions, type Edge, findMeeting } from './edges.ts';
import type { Position } from './polygon.ts';
import type { GeometryProblem } from './problem.ts';

/** How rings that do not cross are nested. */
export interface Nesting {
  readonly kind: 'nesting';
  /** The innermost ring around each ring, by ring number; null if there is none. */
  readonly parents: ReadonlyMap<number, number | null>;
  /** The error where touching rings of one polygon form a cycle, which splits its interior; null if none do. */
  readonly cut: GeometryProblem | null;
  /** A measure of the work done. */
  readonly tests: number;
}

/** An edge directed from west to east (from south to north where it is vertical). */
interface Span {
  readonly edge: Edge;
  readonly west: Position;
  readonly east: Position;
  readonly isReversed: boolean;
}

interface Sweep {
  /** The spans that the sweep line crosses, from south to north. */
  readonly line: Span[];
  readonly parents: Map<number, number | null>;
  /** Rings whose interior is on the left of their edges, in the direction of the request. */
  readonly anticlockwise: Set<number>;
  readonly touching: Chains;
  cut: GeometryProblem | null;
  tests: number;
}

/**
 * Finds a point where edges meet that must not meet (OGC 06-103r4, section 6.1.11.1: a ring does
 * not meet itself, and two rings meet at most in single points). If there is no such point, returns
 * how the rings are nested.
 *
 * Shamos and Hoey, Geometric intersection problems (1976): a vertical line sweeps over the edges,
 * and only neighbours on it are compared, so n edges take O(n log n) tests. Where rings touch, the
 * order of the edges around the point decides whether they cross there. Exact: Shewchuk's adaptive
 * predicates (1997) on the positions of the request.
 */
export function sweepRings(edges: readonly Edge[]): Nesting | GeometryProblem {
  const sweep: Sweep = {
    ...{ line: [], parents: new Map(), anticlockwise: new Set() },
    ...{ touching: new Map(), cut: null, tests: 0 },
  };
  for (const { point, starting } of listEvents(edges)) {
    const found = passVertex(sweep, point, starting);
    if (found !== null) return found;
  }
  const { parents, cut, tests } = sweep;
  return { kind: 'nesting', parents, cut, tests };
}

function passVertex(
  sweep: Sweep,
  point: Position,
  starting: readonly Span[],
): GeometryProblem | null {
  const { line } = sweep;
  const place = findFirstNotBelow(sweep, point);
  const through = listSpansThrough(sweep, place, point);
  const leaving = listLeavingSpans(sweep, point, starting, through);

  const found = findOverlapAt(sweep, point, leaving) ?? findCrossingAt(point, through, leaving);
  if (found !== null) return found;
  if (through.length + leaving.length > 2) {
    const around = [...through, ...leaving].map(({ edge }) => edge);
    const twins = joinRings(sweep.touching, around);
    if (twins !== undefined) sweep.cut ??= describeCut(twins, point);
  }
  replaceOnLine(line, place, through.length, leaving);
  for (let i = place; i < place + leaving.length; i += 1) nestRing(sweep, line[i - 1], line[i]);
  const end = place + leaving.length;
  return (
    findCrossingBetween(sweep, line[place - 1], line[place]) ??
    (end === place ? null : findCrossingBetween(sweep, line[end - 1], line[end]))
  );
}

/** The spans that continue beyond the point, from south to north. */
function listLeavingSpans(
  sweep: Sweep,
  point: Position,
  starting: readonly Span[],
  through: readonly Span[],
): readonly Span[] {
  const leaving = [...starting];
  for (const span of through) if (comparePositions(span.east, point) !== 0) leaving.push(span);
  if (leaving.length > 1) leaving.sort((a, b) => testSide(sweep, point, a.east, b.east));
  return leaving;
}

function replaceOnLine(line: Span[], place: number, gone: number, come: readonly Span[]): void {
  const [only] = come;
  if (gone === 1 && come.length === 1 && only !== undefined) line[place] = only;
  else line.splice(place, gone, ...come);
}

interface Event {
  readonly point: Position;
  readonly starting: readonly Span[];
}

interface SpanEnd {
  readonly point: Position;
  /** The span that starts here; null at its east end. */
  readonly starting: Span | null;
}

/** The vertices from west to east, each once, with the spans that start there. */
function listEvents(edges: readonly Edge[]): readonly Event[] {
  const ends: SpanEnd[] = [];
  for (const edge of edges) {
    const isReversed = comparePositions(edge.from, edge.to) > 0;
    const [west, east] = isReversed ? [edge.to, edge.from] : [edge.from, edge.to];
    ends.push({ point: west, starting: { edge, west, east, isReversed } });
    ends.push({ point: east, starting: null });
  }
  ends.sort((a, b) => comparePositions(a.point, b.point));
  const events: Event[] = [];
  let point: Position | undefined;
  let starting: Span[] = [];
  for (const end of ends) {
    if (point === undefined || comparePositions(point, end.point) !== 0) {
      point = end.point;
      starting = [];
      events.push({ point, starting });
    }
    if (end.starting !== null) starting.push(end.starting);
  }
  return events;
}

function findFirstNotBelow(sweep: Sweep, point: Position): number {
  let from = 0;
  let to = sweep.line.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const span = sweep.line[middle];
    if (span !== undefined && testSide(sweep, span.west, span.east, point) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

function listSpansThrough(sweep: Sweep, place: number, point: Position): readonly Span[] {
  let end = place;
  for (; end < sweep.line.length; end += 1) {
    const span = sweep.line[end];
    if (span === undefined || testSide(sweep, span.west, span.east, point) !== 0) break;
  }
  return sweep.line.slice(place, end);
}

function findOverlapAt(
  sweep: Sweep,
  point: Position,
  leaving: readonly Span[],
): GeometryProblem | null {
  for (const [i, b] of leaving.entries()) {
    const a = leaving[i - 1];
    if (a === undefined || testSide(sweep, point, a.east, b.east) !== 0) continue;
    return describeMeeting(a.edge, b.edge, { kind: 'overlap', point });
  }
  return null;
}

/**
 * Walks the edges around the point, clockwise from the south. Each ring may have two of them, and
 * these must nest like brackets; otherwise rings cross.
 */
function findCrossingAt(
  point: Position,
  through: readonly Span[],
  leaving: readonly Span[],
): GeometryProblem | null {
  if (through.length + leaving.length === 2) return null;
  const around = [...through, ...leaving.toReversed()].map(({ edge }) => edge);
  const met = new Map<number, Edge[]>();
  for (const edge of around) {
    const edges = met.get(edge.ring);
    if (edges === undefined) met.set(edge.ring, [edge]);
    else edges.push(edge);
  }
  for (const [first, ...others] of met.values()) {
    if (first === undefined || others.length < 2) continue;
    const other = others.find((edge) => edge !== first && !isJoint(first, edge)) ?? first;
    return describeMeeting(first, other, { kind: 'touch', point });
  }
  const open: Edge[] = [];
  const opened = new Set<number>();
  for (const edge of around) {
    const last = open.at(-1);
    if (last?.ring === edge.ring) open.pop();
    else if (last === undefined || !opened.has(edge.ring)) open.push(edge);
    else return describeMeeting(last, edge, { kind: 'cross', point });
    opened.add(edge.ring);
  }
  return null;
}

function findCrossingBetween(
  sweep: Sweep,
  a: Span | undefined,
  b: Span | undefined,
): GeometryProblem | null {
  if (a === undefined || b === undefined) return null;
  sweep.tests += 4;
  const meeting = findMeeting(a.edge, b.edge);
  // A touch is checked when the line reaches the point.
  if (meeting.kind === 'apart' || meeting.kind === 'touch') return null;
  return describeMeeting(a.edge, b.edge, meeting);
}

/** Sets the parent of a ring when the line reaches the ring's westernmost vertex, whose southern edge comes first. */
function nestRing(sweep: Sweep, below: Span | undefined, span: Span | undefined): void {
  if (span === undefined || sweep.parents.has(span.edge.ring)) return;
  const { ring } = span.edge;
  if (!span.isReversed) sweep.anticlockwise.add(ring);
  sweep.parents.set(ring, below === undefined ? null : findRingAbove(sweep, below));
}

/** The innermost ring around the area just north of a span. */
function findRingAbove(
  { anticlockwise, parents }: Sweep,
  { edge, isReversed }: Span,
): number | null {
  const isInterior = anticlockwise.has(edge.ring) !== isReversed;
  return isInterior ? edge.ring : (parents.get(edge.ring) ?? null);
}

/** Negative when `point` is left of the line (north of it, looking east), 0 when on it. */
function testSide(sweep: Sweep, from: Position, to: Position, point: Position): number {
  sweep.tests += 1;
  return orient2d(from[0], from[1], to[0], to[1], point[0], point[1]);
}
