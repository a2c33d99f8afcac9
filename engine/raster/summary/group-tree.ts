import { type CoarseNodes, NUMBERS_PER_NODE } from './coarse-nodes.ts';

/** A job's coarse nodes, and the factor of its errors. */
export interface WeightedNodes {
  readonly nodes: CoarseNodes;
  readonly weight: number;
}

/**
 * Numbers of a group of errors: x, y and z of its place, in geocentric metres; its error and spread, defined as
 * for a node; its job or, if it has several jobs, −1 − its index in `ofJobs`; and where its halves start, or 0 and 0
 * for a leaf.
 */
const GROUP_NUMBERS = 8;
export const ERROR = 3;
export const SPREAD = 4;
export const JOB = 5;
export const FIRST_HALF = 6;
export const SECOND_HALF = 7;

/**
 * A binary tree over the nodes of several jobs: the box around a group's nodes is halved across its longest side,
 * until it is small enough for a leaf.
 */
export interface GroupTree {
  readonly groups: Float64Array;
  /** The start of the group of all nodes; null if there are no nodes. */
  readonly root: number | null;
  /** For each group with several jobs, the starts of the jobs' groups, in the order of the jobs. */
  readonly ofJobs: readonly (readonly number[])[];
}

/** @param leafMetres the longest edge of a box that is a leaf, however many nodes and jobs are in it */
export function buildGroupTree(jobs: readonly WeightedNodes[], leafMetres: number): GroupTree {
  const count = jobs.reduce((sum, { nodes }) => sum + nodes.values.length / NUMBERS_PER_NODE, 0);
  const groups = createGroupStore(2 * count);
  for (const [job, weighted] of jobs.entries()) groups.addNodes(weighted, job);
  const ofJobs: (readonly number[])[] = [];

  function listGroups(group: number): readonly number[] {
    const job = groups.jobOf(group);
    return (job < 0 ? ofJobs[-1 - job] : undefined) ?? [group];
  }

  function buildGroup(nodes: Int32Array): number {
    const [node = 0] = nodes;
    if (nodes.length === 1) return node;
    const middle = groups.halveNodes(nodes, leafMetres);
    if (middle === 0) {
      const ofEach = groups.joinByJob([...nodes]);
      const leaf = ofEach.reduce((a, b) => groups.joinGroups(a, b));
      if (ofEach.length > 1) groups.setNumber(leaf, JOB, -ofJobs.push(ofEach));
      return leaf;
    }
    const first = buildGroup(nodes.subarray(0, middle));
    const second = buildGroup(nodes.subarray(middle));
    const whole = groups.joinGroups(first, second);
    groups.setNumber(whole, FIRST_HALF, first);
    groups.setNumber(whole, SECOND_HALF, second);
    const job = groups.jobOf(first);
    if (job < 0 || job !== groups.jobOf(second)) {
      const ofEach = groups.joinByJob([...listGroups(first), ...listGroups(second)]);
      groups.setNumber(whole, JOB, -ofJobs.push(ofEach));
    }
    return whole;
  }

  const nodes = Int32Array.from({ length: count }, (_, i) => i * GROUP_NUMBERS);
  const root = count === 0 ? null : buildGroup(nodes);
  return { groups: groups.all(), root, ofJobs };
}

function createGroupStore(expected: number) {
  let groups = new Float64Array(GROUP_NUMBERS * expected);
  let size = 0;

  function addGroup(): number {
    if (size === groups.length) {
      const larger = new Float64Array(size + GROUP_NUMBERS * Math.ceil(expected / 4));
      larger.set(groups);
      groups = larger;
    }
    size += GROUP_NUMBERS;
    return size - GROUP_NUMBERS;
  }

  function addNodes({ nodes: { origin, values }, weight }: WeightedNodes, job: number): void {
    for (let at = 0; at < values.length; at += NUMBERS_PER_NODE) {
      const group = addGroup();
      for (let k = 0; k < 3; k += 1) groups[group + k] = (origin[k] ?? 0) + (values[at + k] ?? 0);
      groups[group + ERROR] = weight * (values[at + ERROR] ?? 0);
      groups[group + SPREAD] = values[at + SPREAD] ?? 0;
      groups[group + JOB] = job;
    }
  }

  const numberOf = (group: number, k: number): number => groups[group + k] ?? 0;

  /**
   * Adds a group that joins two groups, with their joint place and spread (the parallel-axis theorem) and the job of
   * the first.
   */
  function joinGroups(a: number, b: number): number {
    const both = addGroup();
    const error = numberOf(a, ERROR) + numberOf(b, ERROR);
    const share = numberOf(b, ERROR) / error;
    let apart = 0;
    for (let k = 0; k < 3; k += 1) {
      const between = numberOf(b, k) - numberOf(a, k);
      apart += between * between;
      groups[both + k] = numberOf(a, k) + share * between;
    }
    groups[both + ERROR] = error;
    groups[both + SPREAD] =
      (1 - share) * numberOf(a, SPREAD) + share * numberOf(b, SPREAD) + share * (1 - share) * apart;
    groups[both + JOB] = jobOf(a);
    return both;
  }

  function setNumber(group: number, k: number, value: number): void {
    groups[group + k] = value;
  }

  const jobOf = (group: number): number => numberOf(group, JOB);

  function joinByJob(several: number[]): readonly number[] {
    const joined: number[] = [];
    for (const group of several.sort((a, b) => jobOf(a) - jobOf(b))) {
      const last = joined.at(-1);
      if (last !== undefined && jobOf(last) === jobOf(group)) {
        joined[joined.length - 1] = joinGroups(last, group);
      } else joined.push(group);
    }
    return joined;
  }

  /** Moves the nodes in one half of their box before the others; returns their number, or 0 for a leaf. */
  function halveNodes(nodes: Int32Array, leafMetres: number): number {
    let [west, south, down] = [Infinity, Infinity, Infinity];
    let [east, north, up] = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < nodes.length; i += 1) {
      const node = nodes[i] ?? 0;
      const x = groups[node] ?? 0;
      const y = groups[node + 1] ?? 0;
      const z = groups[node + 2] ?? 0;
      if (x < west) west = x;
      if (x > east) east = x;
      if (y < south) south = y;
      if (y > north) north = y;
      if (z < down) down = z;
      if (z > up) up = z;
    }
    const sides = [east - west, north - south, up - down];
    const widest = Math.max(...sides);
    if (widest <= leafMetres) return 0;
    const axis = sides.indexOf(widest);
    const middle = ([west, south, down][axis] ?? 0) + widest / 2;
    let first = 0;
    for (let i = 0; i < nodes.length; i += 1) {
      const node = nodes[i] ?? 0;
      if ((groups[node + axis] ?? 0) >= middle) continue;
      nodes[i] = nodes[first] ?? 0;
      nodes[first] = node;
      first += 1;
    }
    return first;
  }

  return { addNodes, joinGroups, setNumber, joinByJob, jobOf, halveNodes, all: () => groups };
}
