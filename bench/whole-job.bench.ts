import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, type BenchReport, formatAgainstGoal, type Goal } from './bench.ts';
import { findMissingInR, installBenchPython } from './bench-python.ts';
import {
  bundleProgram,
  chooseBest,
  formatRatio,
  type Measured,
  runForLastLine,
  runNode,
  runPython,
} from './measured-process.ts';

/** The edges of the grids in cells of 10 m. The polygons have 1,000 and 4,400 ha. */
const EDGES = [490, 1_024];
const RASTERS = 6;
const TREES = 500;
const ROUNDS = 3;
/** The small job is repeated more often, because a pause of the machine weighs more in it. */
const SMALL_ROUNDS = 9;
const WARM_RUNS = 5;
/** The memory in MiB that a job may take. */
const MEMORY: Goal = { most: 210 };

interface Job extends Measured {
  readonly points: number;
  readonly versions?: Readonly<Record<string, string>>;
  /** Python's use of resources until all modules were imported. */
  readonly imports?: Measured;
  /** Runs of the same job after the first in our process. */
  readonly warm?: readonly Measured[];
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

type Runs = readonly { readonly name: string; readonly jobs: readonly Job[] }[];

interface Comparison {
  readonly runs: Runs;
  /** Bounds for our CPU time divided by that of the run with this name. */
  readonly goals: Readonly<Record<string, Goal>>;
  /** Null if another comparison of the same results already counts the differences. */
  readonly differences: Differences | null;
}

export const bench: Bench = {
  title: 'a whole job, from polygon to COG, compared with the same job in Python and in R',
  async run(): Promise<BenchReport> {
    const program = bundleProgram('whole-job/ours.ts');
    const noR = findMissingInR('terra', 'ranger');
    const small = compareSmall(program);
    return createReport(
      [
        small,
        measureWarm(small),
        ...EDGES.map((edge) => compareLarge(program, edge, noR === undefined)),
      ],
      noR,
    );
  },
};

function compareLarge(program: string, edge: number, withR: boolean): Comparison {
  const folder = mkdtempSync(join(tmpdir(), 'bench-whole-job-'));
  try {
    const python = installBenchPython();
    const script = (name: string) => join(import.meta.dirname, 'whole-job', name);
    const target = (name: string) => join(folder, `${name}.tif`);
    const [pack, work] = [join(folder, 'pack'), join(folder, 'work')];
    for (const subfolder of [pack, work]) mkdirSync(subfolder);
    runForLastLine(python, script('make_pack.py'), pack, edge, RASTERS, TREES);
    if (withR) execFileSync('Rscript', [script('train.R'), pack]);

    const ours: Side = {
      name: 'ours',
      run: () => runNode<Job>(program, pack, join(pack, 'polygon.json'), work, target('ours')),
    };
    const inPython: Side = {
      name: 'Python',
      run: () => runForLastLine<Job>(python, script('job.py'), pack, pack, target('python')),
    };
    const inR: Side = {
      name: 'R',
      run: () => runForLastLine<Job>('Rscript', script('job.R'), pack, target('r')),
    };
    const runs = alternate([ours, inPython, ...(withR ? [inR] : [])], ROUNDS);
    const differences = runForLastLine<Differences>(
      python,
      script('compare.py'),
      target('ours'),
      target('python'),
    );
    // In a smaller job the start of Node weighs more, so it has no goal.
    const goals = edge > 1_000 ? { [`Python${WITHOUT_IMPORTS}`]: { most: 0.45 } } : {};
    return { runs, goals, differences };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compareSmall(program: string): Comparison {
  const folder = mkdtempSync(join(tmpdir(), 'bench-small-job-'));
  try {
    const pack = join(import.meta.dirname, '../models/meuse-soc');
    const [oursTo, pythonTo] = [join(folder, 'ours.tif'), join(folder, 'python.tif')];
    runPython('whole-job/train_default.py', folder);
    const ours: Side = {
      name: 'ours',
      run: () => runNode(program, pack, join(folder, 'polygon.json'), folder, oursTo, WARM_RUNS),
    };
    const inPython: Side = {
      name: 'Python',
      // The packages of this environment are compiled to byte code; those of the tests may not be.
      run: () =>
        runForLastLine(
          installBenchPython(),
          join(import.meta.dirname, 'whole-job/job.py'),
          pack,
          folder,
          pythonTo,
        ),
    };
    return {
      runs: alternate([ours, inPython], SMALL_ROUNDS),
      goals: { Python: { most: 0.5 } },
      differences: runPython('whole-job/compare.py', oursTo, pythonTo),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Compares the small job, in a process that has run it before, with Python's job without its imports. */
function measureWarm({ runs }: Comparison): Comparison {
  const [ours, inPython] = runs;
  if (ours === undefined || inPython === undefined) throw new Error('the comparison has no runs');
  const jobs = ours.jobs.flatMap(({ points, warm = [] }) =>
    warm.map((use) => ({ ...use, points })),
  );
  return {
    runs: [{ name: 'ours, warm', jobs }, ...subtractImports(inPython)],
    goals: { [`Python${WITHOUT_IMPORTS}`]: { most: 0.6 } },
    differences: null,
  };
}

function alternate(sides: readonly Side[], times: number): Runs {
  const rounds = Array.from({ length: times }, (_, round) =>
    sides.map(({ name, run }) => {
      console.log(`  round ${round + 1}: ${name}`);
      return run();
    }),
  );
  return sides.map(({ name }, i) => ({ name, jobs: rounds.flatMap((jobs) => jobs[i] ?? []) }));
}

function createReport(comparisons: readonly Comparison[], noR: string | undefined): BenchReport {
  const sum = (field: keyof Differences): string =>
    comparisons
      .reduce((total, { differences }) => total + (differences?.[field] ?? 0), 0)
      .toLocaleString('en');
  const jobs = comparisons.flatMap(({ runs }) => runs.map((run) => run.jobs[0]));
  return {
    columns: [
      'cells',
      'program',
      'wall s',
      'CPU s',
      'peak MiB',
      'wall s, ours ÷ program',
      'CPU s, ours ÷ program',
    ],
    rows: comparisons.flatMap(formatRows),
    notes: [
      `Cells are 10 m wide, and all programs predict on one thread. The jobs of 1,000 and 4,400 ha have ${RASTERS} rasters and both coordinates as covariates, ${TREES} trees and one band; each figure is the best of ${ROUNDS} alternating rounds. The job of 10 ha uses the default model with its interval; each figure is the best of ${SMALL_ROUNDS} rounds. Warm: the best of all further runs, ${WARM_RUNS} in each of our processes, as in a function that has loaded its model. Ours runs the steps of the pipeline, with files instead of S3. It also summarises the polygon, which the other programs do not. Python uses rasterio, scikit-learn and GDAL's COG driver. CPU times include the start of Node or Python. Our wall times begin after Node has loaded our code; Python's begin before it imports its packages, except in the rows without its imports.`,
      `Of ${sum('both')} cells that have a value in the first band of both our result and Python's, ${sum('different')} differ by more than 1e-5 of the value. Cells with a value in only one of the two results: ${sum('only_one')}.`,
      ...(noR === undefined ? [] : [`R (terra and ranger) is left out: ${noR}.`]),
    ],
    versions: Object.assign({}, ...jobs.map((job) => job?.versions ?? {})),
  };
}

function formatRows({ runs, goals }: Comparison): BenchReport['rows'] {
  const [ours] = runs;
  if (ours === undefined) throw new Error('the comparison has no runs');
  const least = chooseBest(ours.jobs);
  const cells = (ours.jobs[0]?.points ?? 0).toLocaleString('en');
  return [...runs, ...runs.flatMap(subtractImports)].map((run) => {
    const { wall_s, cpu_s, peak_mib } = chooseBest(run.jobs);
    return [
      cells,
      run.name,
      wall_s.toFixed(2),
      cpu_s.toFixed(2),
      formatAgainstGoal(peak_mib, run === ours ? MEMORY : null, 0),
      formatRatio(least.wall_s, wall_s),
      formatAgainstGoal(least.cpu_s / cpu_s, goals[run.name] ?? null, 2),
    ];
  });
}

const WITHOUT_IMPORTS = ' without its imports';

function subtractImports({ name, jobs }: Runs[number]): Runs {
  const rest = jobs.flatMap(({ imports, ...job }) =>
    imports === undefined
      ? []
      : {
          ...job,
          wall_s: job.wall_s - imports.wall_s,
          cpu_s: job.cpu_s - imports.cpu_s,
        },
  );
  return rest.length === 0 ? [] : [{ name: `${name}${WITHOUT_IMPORTS}`, jobs: rest }];
}
