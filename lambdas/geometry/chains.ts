import type { Edge } from './edges.ts';

/** Rings that hang together by touching: of each but a chain's first, one that it hangs on. */
export type Chains = Map<number, number>;

/**
 * Makes one chain of a polygon's rings that meet in a point (Galler and Fischer's forest, CACM 7, 1964).
 * @param around an edge at the point of every ring, or more than one
 * @returns edges of two rings that hung together before
 */
export function joinRings(
  chains: Chains,
  around: readonly Edge[],
): readonly [Edge, Edge] | undefined {
  const rings = new Set<number>();
  const byFirst = new Map<number, Edge>();
  const firstOf = new Map<number, number>();
  let twins: readonly [Edge, Edge] | undefined;
  for (const edge of around) {
    if (rings.has(edge.ring)) continue;
    rings.add(edge.ring);
    const first = firstInChain(chains, edge.ring);
    const other = byFirst.get(first);
    if (other !== undefined) twins ??= [other, edge];
    byFirst.set(first, edge);
    const joint = firstOf.get(edge.polygon);
    if (joint === undefined) firstOf.set(edge.polygon, first);
    else if (joint !== first) chains.set(first, joint);
  }
  return twins;
}

/** Halves the way on the way. */
function firstInChain(chains: Chains, ring: number): number {
  const next = chains.get(ring);
  if (next === undefined) return ring;
  chains.set(ring, chains.get(next) ?? next);
  return firstInChain(chains, next);
}
