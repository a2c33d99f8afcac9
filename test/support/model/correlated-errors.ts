import type { WithheldSample } from '../../../bin/packs/errors/withheld.ts';
import { randomFrom } from '../../../bin/packs/validation/random.ts';

/** Normal quantile of q95. */
export const Z_95 = 1.6448536269514722;

/** Standard normal, by the transform of Box & Muller (1958). */
export function normalFrom(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export interface ErrorField {
  readonly nugget: number;
  readonly rangeMetres: number;
  readonly seed?: number;
  readonly blocks?: number;
  readonly samplesPerBlock?: number;
  /** Edge of a block. */
  readonly blockMetres?: number;
  /** Half-width of the bounds, in those that contain 90 %. */
  readonly width?: number;
}

const SPACING_DEGREES = 0.1;
const METRES_PER_DEGREE = 111_000;
const MEAN = 50;
const SD = 10;

/** Blocks of samples that were withheld together, with errors of a known correlation. */
export function withheldBlocks({
  nugget,
  rangeMetres,
  seed = 1,
  blocks = 60,
  samplesPerBlock = 12,
  blockMetres = 400,
  width = 1,
}: ErrorField): readonly WithheldSample[] {
  const random = randomFrom(seed);
  const normal = normalFrom(random);
  return Array.from({ length: blocks }, (_, block) => {
    const places = Array.from({ length: samplesPerBlock }, () => [
      random() * blockMetres,
      random() * blockMetres,
    ]);
    const root = cholesky(
      places.map(([x = 0, y = 0]) =>
        places.map(([a = 0, b = 0]) => Math.exp(-Math.hypot(x - a, y - b) / rangeMetres)),
      ),
    );
    const white = places.map(() => normal());
    return places.map(([x = 0, y = 0], i) => {
      const smooth = (root[i] ?? []).reduce((sum, value, j) => sum + value * (white[j] ?? 0), 0);
      const error = Math.sqrt(1 - nugget) * smooth + Math.sqrt(nugget) * normal();
      // On the equator a degree is as long in both directions.
      const west = (block % 10) * SPACING_DEGREES;
      const south = Math.floor(block / 10) * SPACING_DEGREES;
      return {
        position: [west + x / METRES_PER_DEGREE, south + y / METRES_PER_DEGREE] as const,
        observed: MEAN + SD * error,
        mean: MEAN,
        lower: MEAN - Z_95 * SD * width,
        upper: MEAN + Z_95 * SD * width,
        fold: `block ${block}`,
        group: null,
      };
    });
  }).flat();
}

/** The lower triangular L of L Lᵀ. */
function cholesky(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const root: number[][] = [];
  for (const [i, row] of matrix.entries()) {
    const line: number[] = [];
    root.push(line);
    for (let j = 0; j <= i; j += 1) {
      const other = root[j] ?? [];
      let rest = row[j] ?? 0;
      for (let k = 0; k < j; k += 1) rest -= (line[k] ?? 0) * (other[k] ?? 0);
      line.push(j === i ? Math.sqrt(rest) : rest / (other[j] ?? 1));
    }
  }
  return root;
}
