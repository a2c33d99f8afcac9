import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchReport } from './bench.ts';
import { benchPython, missingInR } from './bench-python.ts';
import { best, bundled, type Measured, node, ratio } from './measured-process.ts';

/** Set `BENCH_EDGE` for a shorter run. */
const EDGE = Number(process.env['BENCH_EDGE'] ?? 1_024);
const RASTERS = 6;
const TREES = 500;
const ROUNDS = 2;

interface Job extends Measured {
  readonly points: number;
  readonly versions?: Readonly<Record<string, string>>;
}

interface Side {
  readonly name: string;
  run(): Job;
}

interface Differences {
  readonly only_one: number;
  readonly both: number;
  readonly different: number;
}

export const bench: Bench = {
  title: 'a whole job, polygon to COG, compared with the same job in Python and in R',
  async run(): Promise<BenchReport> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-whole-job-'));
    try {
      const python = benchPython();
      const script = (name: string) => join(import.meta.dirname, 'whole-job', name);
      const [pack, work] = [join(folder, 'pack'), join(folder, 'work')];
      for (const subfolder of [pack, work]) mkdirSync(subfolder);
      lastLine(python, script('make_pack.py'), pack, EDGE, RASTERS, TREES);
      const noR = missingInR('terra', 'ranger');
      if (noR === undefined) execFileSync('Rscript', [script('train.R'), pack]);

      const target = (name: string) => join(folder, `${name}.tif`);
      const program = bundled('whole-job/ours.ts');
      const polygon = join(pack, 'polygon.json');
      const sides: readonly Side[] = [
        { name: 'ours', run: () => node<Job>(program, pack, polygon, work, target('ours')) },
        {
          name: 'Python: rasterio + scikit-learn',
          run: () => lastLine<Job>(python, script('job.py'), pack, target('python')),
        },
        ...(noR === undefined
          ? [
              {
                name: 'R: terra + ranger',
                run: () => lastLine<Job>('Rscript', script('job.R'), pack, target('r')),
              },
            ]
          : []),
      ];
      const runs = alternate(sides);
      const differences = lastLine<Differences>(
        python,
        script('compare.py'),
        target('ours'),
        target('python'),
      );
      return report(runs, differences, noR);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

type Runs = readonly { readonly name: string; readonly jobs: readonly Job[] }[];

function alternate(sides: readonly Side[]): Runs {
  const rounds = Array.from({ length: ROUNDS }, (_, round) =>
    sides.map(({ name, run }) => {
      console.log(`  round ${round + 1}: ${name}`);
      return run();
    }),
  );
  return sides.map(({ name }, i) => ({ name, jobs: rounds.flatMap((jobs) => jobs[i] ?? []) }));
}

function report(runs: Runs, differences: Differences, noR: string | undefined): BenchReport {
  const sides = runs.map(({ name, jobs }) => ({ name, ...best(jobs) }));
  const ours = sides[0];
  if (ours === undefined) throw new Error('no side was run');
  const points = runs[0]?.jobs[0]?.points ?? 0;
  return {
    columns: ['job', 'wall s', 'CPU s', 'peak MiB', 'ours ÷ it, wall', 'ours ÷ it, CPU'],
    rows: sides.map(({ name, wall_s, cpu_s, peak_mib }) => [
      name,
      wall_s.toFixed(2),
      cpu_s.toFixed(2),
      peak_mib.toFixed(0),
      ratio(ours.wall_s, wall_s),
      ratio(ours.cpu_s, cpu_s),
    ]),
    notes: [
      `${points.toLocaleString('en')} cells of 10 m, ${RASTERS} rasters and both coordinates, ${TREES} trees, one band; resources of whole processes on one thread, best of ${ROUNDS} alternating rounds. Ours runs the steps of the pipeline, with blocks in files instead of S3. Goal: ≤ 0.45 of Python's wall time.`,
      `Of ${differences.both.toLocaleString('en')} cells in both results, ${differences.different} differ by more than 1e-5; only one result has another ${differences.only_one} cells.`,
      ...(noR === undefined ? [] : [`R is left out: ${noR}.`]),
    ],
    versions: Object.assign({}, ...runs.map(({ jobs }) => jobs[0]?.versions ?? {})),
  };
}

function lastLine<T>(command: string, ...args: readonly (string | number)[]): T {
  const printed = execFileSync(command, args.map(String), { encoding: 'utf8' });
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as T;
}
