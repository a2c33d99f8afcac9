import { toGeocentric } from '#engine/geometry/ellipsoid.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { NUMBERS_PER_NODE } from '#engine/raster/summary/coarse-nodes.ts';
import type { PredictionErrors } from '../../lambdas/domain/total/prediction-errors.ts';

/** A job has at most this many nodes in each direction. */
const NODES_ACROSS = 32;

/** The nodes fill the box around the job's polygon. */
export function createErrors(polygon: MultiPolygonRings, jobIndex: number): PredictionErrors {
  const positions = polygon.flat(2);
  const [west, east] = findExtent(positions.map(([lon]) => lon));
  const [south, north] = findExtent(positions.map(([, lat]) => lat));
  const origin = toGeocentric([west, south]);
  const values = new Float32Array(NODES_ACROSS ** 2 * NUMBERS_PER_NODE);
  for (let i = 0; i < NODES_ACROSS ** 2; i += 1) {
    const [col, row] = [i % NODES_ACROSS, Math.floor(i / NODES_ACROSS)];
    const place = toGeocentric([
      west + ((col + 0.5) * (east - west)) / NODES_ACROSS,
      south + ((row + 0.5) * (north - south)) / NODES_ACROSS,
    ]);
    const offset = place.map((value, axis) => value - (origin[axis] ?? 0));
    values.set([...offset, 700, 10], i * NUMBERS_PER_NODE);
  }
  return {
    job_index: jobIndex,
    square_metres: 100_000,
    nugget: 0.3,
    range_m: 150,
    systematic_relative_sd: 0.05,
    ...{ z: 1.645, level: 0.9, support: { lower: 0, upper: null } },
    squares: 5e8,
    pairs: 1e10,
    widths: { sd: 7, lower: 11, upper: 12 },
    nodes: { origin, values },
  };
}

function findExtent(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)];
}
