import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchReport } from './bench.ts';
import { best, bundled, type Measured, node, python } from './measured-process.ts';

/** Edges in cells of rasters of 10³ to 10⁸ cells. */
const EDGES = [32, 100, 316, 1_000, 3_162, 10_000];
const PROCESSES = 3;
/** Rounds in one process, until the code is compiled; for the largest raster the first is enough. */
const MAX_ROUNDS = 20;
const CELLS_OF_ROUNDS = 2e8;

export const bench: Bench = {
  title: 'time and memory of writing a raster from 10³ to 10⁸ cells',
  async run(): Promise<BenchReport> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-growth-'));
    try {
      const program = bundled('cog/write-cog.ts');
      const used = EDGES.map((edge) => measure(folder, program, edge));
      const fixed = used[0]?.round_cpu_s ?? 0;
      return {
        columns: [
          'cells',
          'CPU s, whole process',
          'CPU s, compiled',
          'minus the first',
          'ns per cell',
          'peak MiB',
        ],
        rows: used.map(({ edge, cpu_s, round_cpu_s, peak_mib }) => [
          (edge * edge).toLocaleString('en'),
          cpu_s.toFixed(3),
          round_cpu_s.toFixed(3),
          (round_cpu_s - fixed).toFixed(3),
          (((round_cpu_s - fixed) / edge ** 2) * 1e9).toFixed(0),
          peak_mib.toFixed(0),
        ]),
        notes: [
          `One band, one worker. CPU time and memory are those of a process that writes the raster once; for a small raster most of the time is JIT compilation. A second process writes it up to ${MAX_ROUNDS} times; its lowest time is the compiled one. Slope of that over cells on logarithmic axes from 10⁶ cells, without the fixed part, which is the smallest raster's time: ${slope(used.slice(3), fixed).toFixed(2)}. Goals: slope 1.0 ± 0.05, memory bounded by a block (2,048²), not by the raster.`,
        ],
        versions: {},
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

interface Round {
  /** CPU time of the fastest round. */
  readonly round_cpu_s: number;
}

interface Size extends Measured, Round {
  readonly edge: number;
}

function measure(folder: string, program: string, edge: number): Size {
  const source = join(folder, 'source.tif');
  const target = join(folder, 'target.tif');
  const { offset } = python<{ offset: number }>('cog/make_raster.py', source, edge, 1);
  const args = [source, offset, edge, 1, 1, folder, target] as const;
  const once = Array.from({ length: PROCESSES }, () => node<Measured>(program, ...args));
  const rounds = Math.min(Math.ceil(CELLS_OF_ROUNDS / edge ** 2), MAX_ROUNDS);
  const { round_cpu_s } = node<Round>(program, ...args, rounds);
  return { ...best(once), round_cpu_s, edge };
}

/** Least-squares slope of the logarithms. */
function slope(sizes: readonly Size[], fixed: number): number {
  const points = sizes.map(({ edge, round_cpu_s }) => [
    Math.log(edge ** 2),
    Math.log(round_cpu_s - fixed),
  ]);
  const mean = (axis: 0 | 1): number =>
    points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const along = points.reduce((sum, [a = 0]) => sum + (a - x) ** 2, 0);
  return points.reduce((sum, [a = 0, b = 0]) => sum + (a - x) * (b - y), 0) / along;
}
