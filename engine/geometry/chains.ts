import type { Edge } from './edges.ts';

/** Rings connected by touching, as a union-find forest: maps each ring to its parent, except the roots. */
export type Chains = Map<number, number>;

/**
 * Connects rings that meet in a point, if they belong to the same polygon (union-find: Galler and
 * Fischer, CACM 7, 1964).
 * @param around the edges at the point, at least one of each ring
 * @returns an edge of each of two rings that touch here and are also connected elsewhere; undefined if
 * there are none
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
    const first = findFirstInChain(chains, edge.ring);
    const other = byFirst.get(first);
    if (other !== undefined) twins ??= [other, edge];
    byFirst.set(first, edge);
    const joint = firstOf.get(edge.polygon);
    if (joint === undefined) firstOf.set(edge.polygon, first);
    else if (joint !== first) chains.set(first, joint);
  }
  return twins;
}

/** Path splitting: on the way to the root, each ring's grandparent becomes its parent. */
function findFirstInChain(chains: Chains, ring: number): number {
  const next = chains.get(ring);
  if (next === undefined) return ring;
  chains.set(ring, chains.get(next) ?? next);
  return findFirstInChain(chains, next);
}
