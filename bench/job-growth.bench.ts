import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchReport } from './bench.ts';
import { benchPython } from './bench-python.ts';
import { best, bundled, type Measured, node } from './measured-process.ts';

/** Edges in cells of jobs of 10³ to 10⁸ cells; 7,071 shows where memory stops growing. */
const EDGES = [32, 100, 316, 1_000, 3_162, 7_071, 10_000];
const ROUNDS = 3;
/** Jobs with longer edges run only once, because they take long enough for a stable result. */
const LONG = 3_162;
/** Few, so that 10⁸ cells take a minute instead of half an hour. */
const TREES = 10;

interface Job extends Measured {
  readonly points: number;
}

export const bench: Bench = {
  title: 'time and memory of a whole job from 10³ to 10⁸ cells',
  async run(): Promise<BenchReport> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-job-growth-'));
    try {
      const [pack, work] = [join(folder, 'pack'), join(folder, 'work')];
      for (const subfolder of [pack, work]) mkdirSync(subfolder);
      const make = join(import.meta.dirname, 'whole-job/make_pack.py');
      const edge = String(Math.max(...EDGES));
      execFileSync(benchPython(), [make, pack, edge, '1', String(TREES)]);
      const program = bundled('whole-job/ours.ts');
      return report(EDGES.map((size) => measure(program, pack, work, size)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function measure(program: string, pack: string, work: string, edge: number): Job {
  console.log(`  ${edge} × ${edge}`);
  const polygon = join(pack, `square-${edge}.json`);
  const runs = Array.from({ length: edge > LONG ? 1 : ROUNDS }, () =>
    node<Job>(program, pack, polygon, work, join(work, 'job.tif')),
  );
  return { ...best(runs), points: runs[0]?.points ?? 0 };
}

function report(jobs: readonly Job[]): BenchReport {
  const fixed = jobs[0]?.cpu_s ?? 0;
  return {
    columns: ['cells', 'CPU s', 'minus the first', 'ns per cell', 'peak MiB'],
    rows: jobs.map(({ points, cpu_s, peak_mib }) => [
      points.toLocaleString('en'),
      cpu_s.toFixed(3),
      (cpu_s - fixed).toFixed(3),
      (((cpu_s - fixed) / points) * 1e9).toFixed(0),
      peak_mib.toFixed(0),
    ]),
    notes: [
      `Plan, covariates (one raster and both coordinates), prediction, blocks and assembly, one thread, resources of the whole process. A forest of ${TREES} trees limits the time of the largest job; with 500 the prediction takes fifty times as long and grows in the same way. Slope of time over cells on logarithmic axes from 10⁶ cells, without the fixed part, which is the smallest job's time: ${slope(jobs.slice(3), fixed).toFixed(2)}; below, most of the time is JIT compilation. Goals: 1.0 ± 0.05, memory bounded by a patch-batch (2,048²), not by the job: it stops growing after some patch-batches, when garbage collection keeps up (V8 lets 64 MiB of arrays accumulate).`,
    ],
    versions: {},
  };
}

/** Least-squares slope of the logarithms. */
function slope(jobs: readonly Job[], fixed: number): number {
  const points = jobs.map((job) => [Math.log(job.points), Math.log(job.cpu_s - fixed)]);
  const mean = (axis: 0 | 1): number =>
    points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const along = points.reduce((sum, [a = 0]) => sum + (a - x) ** 2, 0);
  return points.reduce((sum, [a = 0, b = 0]) => sum + (a - x) * (b - y), 0) / along;
}
