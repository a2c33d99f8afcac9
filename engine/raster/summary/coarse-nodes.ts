import { toGeocentric } from '../../geometry/ellipsoid.ts';
import { transformOfGrid } from '../../projection/transform.ts';
import type { Grid, Window } from '../grid/grid.ts';
import { type Correlation, metricOfNode, type NodeEdges, widestEdge } from './correlation.ts';
import type { NodeSums } from './sum-within-job.ts';

/**
 * The errors of a job's cells, summed by coarse nodes (rectangles of many cells), for the correlation with other
 * jobs. A node's place is the centre of its cells' errors, so that it matters little where an outline cuts the node.
 */
export interface CoarseNodes {
  /** In geocentric metres, because jobs far from each other have no common plane. */
  readonly origin: readonly [number, number, number];
  /** {@link NUMBERS_PER_NODE} for each node. */
  readonly values: Float32Array;
}

/**
 * The numbers of a node: x, y and z in metres from the origin; the error, Σ fᵢ σ′ᵢ; the spread, which is the mean
 * square of the cells' distances to the node's place, in square metres.
 */
export const NUMBERS_PER_NODE = 5;

/**
 * Maximum number of nodes of a job. A job that would exceed it has larger nodes: it is so wide that
 * its correlation with its neighbours, along its outline, is negligible.
 */
const MAX_NODES = 1_024;

/** While the sums are read, nodes are merged as soon as there are more than this number. */
const MAX_FINE_NODES = 65_536;

/** Number of the sums' nodes that are read together, in each direction. */
const NODES_PER_READ = 256;

/** A node's sums, weighted by errors; columns and rows are counted from the centre of the raster's first cell. */
interface Sums {
  error: number;
  col: number;
  row: number;
  colCol: number;
  colRow: number;
  rowRow: number;
}

interface Place {
  readonly grid: Grid;
  /** The raster, in cells of the grid. */
  readonly window: Window;
  readonly edges: NodeEdges;
}

/** The coarse nodes of a job; null if no cell has an error. They are aligned to the grid, not to the job. */
export async function computeCoarseNodes(
  sums: NodeSums,
  place: Place,
  correlation: Correlation,
): Promise<CoarseNodes | null> {
  let level = await readFinestLevel(sums, place, correlation);
  let nodes = gradeNodes(level);
  while (nodes.length > MAX_NODES) {
    level = coarsenLevel(level);
    nodes = gradeNodes(level);
  }
  return nodes.length === 0 ? null : placeNodes(nodes, sums, place);
}

/** Nodes of one size. The key of a node combines its column and row ({@link toKey}). */
interface Level {
  /** A node's width and height, in cells. */
  readonly edges: NodeEdges;
  readonly nodes: ReadonlyMap<number, Sums>;
}

/** A factor above the number of columns of any grid. */
const COLUMNS = 2 ** 26;

const toKey = (col: number, row: number): number => row * COLUMNS + col;
const colOf = (key: number): number => key % COLUMNS;
const rowOf = (key: number): number => Math.floor(key / COLUMNS);

async function readFinestLevel(
  sums: NodeSums,
  { window, edges }: Place,
  { rangeMetres }: Correlation,
): Promise<Level> {
  const { cc, rr } = sums.metric(sums.width / 2, sums.height / 2);
  const nodes = new Map<number, Sums>();
  let level: Level = {
    edges: {
      cols: edges.cols * widestEdge(Math.sqrt(cc), rangeMetres),
      rows: edges.rows * widestEdge(Math.sqrt(rr), rangeMetres),
    },
    nodes,
  };
  let current = nodes;
  const stride = Math.min(NODES_PER_READ, sums.width);
  const values = new Float64Array(stride * Math.min(NODES_PER_READ, sums.height));
  for (let top = 0; top < sums.height; top += NODES_PER_READ) {
    for (let left = 0; left < sums.width; left += NODES_PER_READ) {
      const width = Math.min(NODES_PER_READ, sums.width - left);
      const height = Math.min(NODES_PER_READ, sums.height - top);
      values.fill(0);
      await sums.addTo(values, stride, { col: left, row: top, width, height });
      let key = Number.NaN;
      let node = createEmptySums();
      // A counting loop: `entries` would allocate a pair per node.
      for (let i = 0; i < height * stride; i += 1) {
        const error = values[i] ?? 0;
        if (error === 0) continue;
        // The middle of the cells' centres.
        const col = (left + (i % stride)) * edges.cols + (edges.cols - 1) / 2;
        const row = (top + Math.floor(i / stride)) * edges.rows + (edges.rows - 1) / 2;
        const coarseKey = toKey(
          Math.floor((window.col + col) / level.edges.cols),
          Math.floor((window.row + row) / level.edges.rows),
        );
        // Most nodes of the sums lie in the same coarse node as the previous one.
        if (coarseKey !== key) node = findSums(current, coarseKey);
        key = coarseKey;
        addCells(node, edges, error, col, row);
      }
      while (current.size > MAX_FINE_NODES) {
        level = coarsenLevel({ edges: level.edges, nodes: current });
        current = new Map(level.nodes);
      }
    }
  }
  return { edges: level.edges, nodes: current };
}

function createEmptySums(): Sums {
  return { error: 0, col: 0, row: 0, colCol: 0, colRow: 0, rowRow: 0 };
}

function findSums(nodes: Map<number, Sums>, key: number): Sums {
  const known = nodes.get(key);
  if (known !== undefined) return known;
  const sums = createEmptySums();
  nodes.set(key, sums);
  return sums;
}

/** Adds cells that lie evenly around a column and row. */
function addCells(sums: Sums, edges: NodeEdges, error: number, col: number, row: number): void {
  sums.error += error;
  sums.col += error * col;
  sums.row += error * row;
  sums.colCol += error * (col * col + (edges.cols * edges.cols - 1) / 12);
  sums.colRow += error * col * row;
  sums.rowRow += error * (row * row + (edges.rows * edges.rows - 1) / 12);
}

function addSums(sums: Sums, more: Sums): void {
  sums.error += more.error;
  sums.col += more.col;
  sums.row += more.row;
  sums.colCol += more.colCol;
  sums.colRow += more.colRow;
  sums.rowRow += more.rowRow;
}

function coarsenLevel({ edges, nodes }: Level): Level {
  const merged = new Map<number, Sums>();
  for (const [key, sums] of nodes) addSums(findSums(merged, findParent(key)), sums);
  return { edges: { cols: 2 * edges.cols, rows: 2 * edges.rows }, nodes: merged };
}

const findParent = (key: number): number =>
  toKey(Math.floor(colOf(key) / 2), Math.floor(rowOf(key) / 2));

interface Node extends Sums {
  /** The place is counted in nodes of the finest level. */
  readonly place: readonly [number, number];
}

/**
 * Merges four nodes inside the job into one, and again four of the merged nodes, as long as cells of the job
 * surround them: other jobs are then at least half the node's width away. Returns the nodes in the
 * order of Morton's curve, so that neighbours follow each other.
 */
function gradeNodes(finest: Level): readonly Node[] {
  const kept: Node[] = [];
  let level = finest;
  let full: ReadonlySet<number> = new Set(level.nodes.keys());
  let candidates: readonly number[] = [...full];
  for (let size = 1; candidates.length > 0; size *= 2) {
    const parents = coarsenLevel(level);
    const fullParents = new Set(
      [...parents.nodes.keys()].filter((key) => hasAllChildren(key, full)),
    );
    const merged = new Set([...fullParents].filter((key) => hasAllNeighbours(key, fullParents)));
    for (const key of candidates) {
      const sums = level.nodes.get(key);
      if (sums === undefined || merged.has(findParent(key))) continue;
      kept.push({ ...sums, place: [colOf(key) * size, rowOf(key) * size] });
    }
    [level, full, candidates] = [parents, fullParents, [...merged]];
  }
  return kept.sort(compareByMorton);
}

function hasAllChildren(parent: number, full: ReadonlySet<number>): boolean {
  const [col, row] = [2 * colOf(parent), 2 * rowOf(parent)];
  return [0, 1].every((c) => [0, 1].every((r) => full.has(toKey(col + c, row + r))));
}

function hasAllNeighbours(key: number, full: ReadonlySet<number>): boolean {
  const [col, row] = [colOf(key), rowOf(key)];
  return [-1, 0, 1].every((c) => [-1, 0, 1].every((r) => full.has(toKey(col + c, row + r))));
}

/** Sorts by the highest bit in which the places differ (Chan 2002, "Closest-point problems simplified on the RAM"). */
function compareByMorton({ place: [aCol, aRow] }: Node, { place: [bCol, bRow] }: Node): number {
  const [cols, rows] = [aCol ^ bCol, aRow ^ bRow];
  const isRowFirst = cols < rows && cols < (cols ^ rows);
  return isRowFirst ? aRow - bRow : aCol - bCol;
}

function placeNodes(nodes: readonly Node[], sums: NodeSums, { grid, window, edges }: Place) {
  const { inverse } = transformOfGrid(grid);
  const middle = metricOfNode(sums.metric(sums.width / 2, sums.height / 2), {
    cols: 1 / edges.cols,
    rows: 1 / edges.rows,
  });
  const locate = (col: number, row: number) =>
    toGeocentric(
      inverse([
        grid.origin[0] + (window.col + col + 0.5) * grid.cell_size,
        grid.origin[1] - (window.row + row + 0.5) * grid.cell_size,
      ]),
    );
  const values = new Float32Array(NUMBERS_PER_NODE * nodes.length);
  let origin: CoarseNodes['origin'] | null = null;
  for (const [i, node] of nodes.entries()) {
    const [col, row] = [node.col / node.error, node.row / node.error];
    const place = locate(col, row);
    origin ??= place;
    const spread =
      middle.cc * (node.colCol / node.error - col * col) +
      2 * middle.cr * (node.colRow / node.error - col * row) +
      middle.rr * (node.rowRow / node.error - row * row);
    const offset = [place[0] - origin[0], place[1] - origin[1], place[2] - origin[2]];
    values.set([...offset, node.error, Math.max(spread, 0)], NUMBERS_PER_NODE * i);
  }
  return { origin: origin ?? locate(0, 0), values };
}
