import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, type BenchReport, formatAgainstGoal } from './bench.ts';
import { installBenchPython } from './bench-python.ts';
import { computeMedian } from './own-use.ts';

/** Models and points are kept in this folder, because they take minutes to create. */
const FOLDER = join(import.meta.dirname, '../.local/bench-predict');
/**
 * The number of points that our evaluator predicts; the others predict a tenth of them. Set `BENCH_POINTS` for a
 * shorter run.
 */
const POINTS = Number(process.env['BENCH_POINTS'] ?? 320_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);

const KINDS = { smooth: 'smooth', noisy: '30 % noise', random: 'random' } as const;
const EVALUATORS = ['ours', 'ONNX Runtime', 'library', 'lleaves'] as const;

type Kind = keyof typeof KINDS;
type Evaluator = (typeof EVALUATORS)[number];
const EVERY_KIND = Object.keys(KINDS) as Kind[];

interface Model {
  readonly name: string;
  readonly title: string;
  readonly covariates: number;
  readonly kinds: readonly Kind[];
  readonly byLleaves: boolean;
  /** The goal for the time of the best interpreter ÷ the time of our evaluator, on smooth cells. */
  readonly least: number | null;
}

const COVARIATES = 16;
/**
 * Models with more covariates than this have no goal, because copying the covariates and finding their bounds takes
 * much of the time.
 */
const MANY_COVARIATES = 50;
/** The goal for the time of ONNX Runtime ÷ the time of our evaluator, on smooth cells. */
const LEAST_OF_ONNX_RUNTIME = 1.5;

function createCommonModel(name: string, title: string, least: number, byLleaves = false): Model {
  return { name, title, least, byLleaves, covariates: COVARIATES, kinds: EVERY_KIND };
}

function createShapeModel(name: string, title: string, covariates = COVARIATES): Model {
  return { name, title, covariates, least: null, byLleaves: false, kinds: ['smooth'] };
}

const MODELS: readonly Model[] = [
  createCommonModel('lightgbm', 'LightGBM, 800 trees of 63 leaves', 3, true),
  createCommonModel('quantiles', 'LightGBM, 3 quantiles × 300 trees of 31 leaves', 3, true),
  createCommonModel('catboost', 'CatBoost, 500 trees of depth 6', 1),
  createCommonModel('xgboost', 'XGBoost, 500 trees of depth 8', 3),
  createCommonModel('small-forest', 'random forest, 500 trees of 300 samples', 2),
  createCommonModel('forest', 'random forest, 200 trees of 5,500 samples', 2),
  createCommonModel('extra-trees', 'extra trees, 200 of 3,500 samples', 2),
  createShapeModel('logarithm', 'LightGBM of a logarithm, 100 trees of 31 leaves'),
  createShapeModel('scaled-forest', 'scaler, random forest, 200 trees of 5,500 samples'),
  createShapeModel('lightgbm-255', 'LightGBM, 100 trees of 255 leaves'),
  createShapeModel('lightgbm-511', 'LightGBM, 100 trees of 511 leaves'),
  createShapeModel('xgboost-10', 'XGBoost, 500 trees of depth 10'),
  createShapeModel('catboost-8', 'CatBoost, 500 trees of depth 8'),
  createShapeModel('catboost-10', 'CatBoost, 500 trees of depth 10'),
  createShapeModel('five-targets', 'random forest, 5 targets, 100 trees of 5,500 samples'),
  createShapeModel('grown-forest', 'random forest, 50 trees of 20,000 samples'),
  createShapeModel(
    'forest-50',
    'random forest, 50 covariates, 50 trees of 5,500 samples',
    MANY_COVARIATES,
  ),
  createShapeModel('forest-150', 'random forest, 150 covariates, 50 trees of 5,500 samples', 150),
];

interface Run {
  readonly cpu_s: Readonly<Record<string, number>>;
  /** Seconds of our evaluator without the steps around the trees; absent for a model without steps. */
  readonly alone_s?: Readonly<Record<string, number>>;
  readonly versions?: Readonly<Record<string, string>>;
}

interface Comparison {
  readonly model: Model;
  readonly kind: Kind;
  /** CPU seconds per million points, the minimum of the rounds. */
  readonly seconds: ReadonlyMap<Evaluator, number>;
  /** The time of the trees without the steps around them, divided by the time with the steps, in each round. */
  readonly aloneToOurs: readonly number[];
  /** The largest difference from our results, relative to the largest result. */
  readonly difference: number;
  readonly versions: Readonly<Record<string, string>>;
}

export const bench: Bench = {
  title:
    'tree ensembles on neighbouring cells and on random points, in CPU s per million points on one thread',
  async run(): Promise<BenchReport> {
    const python = installBenchPython();
    makeModels(python);
    return createReport(MODELS.flatMap((model) => compareEvaluators(python, model)));
  },
};

function makeModels(python: string): void {
  const made = join(FOLDER, 'made');
  const script = readFileSync(locateProgram('make_models.py'), 'utf8') + POINTS;
  if (existsSync(made) && readFileSync(made, 'utf8') === script) return;
  mkdirSync(FOLDER, { recursive: true });
  execFileSync(python, [locateProgram('make_models.py'), FOLDER, `${POINTS}`], {
    stdio: 'inherit',
  });
  writeFileSync(made, script);
}

/** Runs every evaluator in every round, so that other load on the machine affects all of them. */
function compareEvaluators(python: string, model: Model): readonly Comparison[] {
  const { name, covariates, kinds } = model;
  const evaluators = EVALUATORS.filter((evaluator) => evaluator !== 'lleaves' || model.byLleaves);
  const comparisons = kinds.map((kind) => ({
    model,
    kind,
    points: covariates === COVARIATES ? kind : `${kind}-${covariates}`,
    seconds: new Map<Evaluator, number>(),
    results: new Map<Evaluator, Float32Array>(),
    aloneToOurs: [] as number[],
  }));
  const files = comparisons.map(({ points }) => points);
  let versions = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const evaluator of evaluators) {
      const count = evaluator === 'ours' ? POINTS : POINTS / 10;
      const run = runEvaluator(python, evaluator, [
        ...[FOLDER, name, `${covariates}`, evaluator, `${count}`],
        ...files,
      ]);
      versions = { ...versions, ...run.versions };
      for (const { kind, points, seconds, results, aloneToOurs } of comparisons) {
        const perMillion = ((run.cpu_s[points] ?? Number.NaN) / count) * 1e6;
        seconds.set(evaluator, Math.min(seconds.get(evaluator) ?? perMillion, perMillion));
        results.set(evaluator, readPredictions(points));
        const alone = run.alone_s?.[points];
        if (alone !== undefined) aloneToOurs.push(alone / (run.cpu_s[points] ?? Number.NaN));
        console.log(`  ${name}, ${kind}, ${evaluator}: ${perMillion.toFixed(2)}`);
      }
    }
  }
  return comparisons.map(({ results, points: _, ...comparison }) => {
    return { ...comparison, difference: findLargestDifference(results), versions };
  });
}

function runEvaluator(python: string, evaluator: Evaluator, args: readonly string[]): Run {
  const inPython = evaluator === 'library' || evaluator === 'lleaves';
  const printed = inPython
    ? execFileSync(python, [locateProgram('python_evaluators.py'), ...args])
    : execFileSync(process.execPath, [
        '--import',
        'tsx',
        locateProgram('node-evaluators.ts'),
        ...args,
      ]);
  return JSON.parse(printed.toString().trimEnd().split('\n').at(-1) ?? '');
}

function readPredictions(points: string): Float32Array {
  const bytes = readFileSync(join(FOLDER, `${points}.predictions`));
  return new Float32Array(new Uint8Array(bytes).buffer);
}

function findLargestDifference(results: ReadonlyMap<Evaluator, Float32Array>): number {
  const ours = results.get('ours') ?? new Float32Array();
  let [difference, largest] = [0, 0];
  for (const [evaluator, found] of results) {
    if (evaluator === 'ours') continue;
    for (const [i, value] of found.entries()) {
      difference = Math.max(difference, Math.abs(value - (ours[i] ?? Number.NaN)));
      largest = Math.max(largest, Math.abs(value));
    }
  }
  return difference / largest;
}

function createReport(comparisons: readonly Comparison[]): BenchReport {
  return {
    columns: [
      'model',
      'points',
      ...EVALUATORS,
      'ONNX Runtime ÷ ours',
      'best interpreter ÷ ours',
      'lleaves ÷ ours',
      'trees alone ÷ ours',
      'difference',
    ],
    rows: comparisons.map(({ model, kind, seconds, aloneToOurs, difference }) => {
      const timeOf = (evaluator: Evaluator): number => seconds.get(evaluator) ?? Number.NaN;
      const best = Math.min(timeOf('ONNX Runtime'), timeOf('library'));
      // Goals are for smooth cells; the other points are only for comparison.
      const formatTimeRatio = (time: number, least: number | null, digits: number): string =>
        Number.isNaN(time)
          ? ''
          : formatAgainstGoal(
              time / timeOf('ours'),
              least && kind === 'smooth' ? { least } : null,
              digits,
            );
      const isGoal = model.covariates <= MANY_COVARIATES;
      return [
        model.title,
        KINDS[kind],
        ...EVALUATORS.map((evaluator) => seconds.get(evaluator)?.toFixed(2) ?? ''),
        formatTimeRatio(timeOf('ONNX Runtime'), isGoal ? LEAST_OF_ONNX_RUNTIME : null, 1),
        formatTimeRatio(best, model.least, 1),
        formatTimeRatio(timeOf('lleaves'), 1, 1),
        aloneToOurs.length > 0
          ? formatAgainstGoal(computeMedian(aloneToOurs), { least: 0.9 }, 2)
          : '',
        difference.toExponential(0),
      ];
    }),
    notes: [
      `Models have ${COVARIATES} covariates unless a row says otherwise. Smooth: maps of noise, 1,000 cells wide, smoothed by a Gaussian filter (σ = 30 cells), plus 2 % white noise. 30 % noise: the same maps with 30 % white noise. Random: independent points, which no raster has. All evaluators visit the cells in tiles, like the service. Figures are the CPU time of the prediction, the minimum of ${ROUNDS} alternating rounds. Library: the library that trained the model. lleaves: the model's trees as machine code. Best interpreter: the faster of ONNX Runtime and the library. Trees alone: our evaluator without the steps before and after the trees, measured in alternation with the whole model, chunk by chunk (the median of the rounds). Ours predicts ${POINTS.toLocaleString('en')} points, the others a tenth of them.`,
      `Goal for models with up to ${MANY_COVARIATES} covariates: on smooth cells, our evaluator is at least ${LEAST_OF_ONNX_RUNTIME} times as fast as ONNX Runtime.`,
      'Difference: the largest difference between our results and those of any other evaluator, relative to the largest result. A library that compares or adds in another precision than ours gives slightly different results.',
    ],
    versions: {
      ...Object.assign({}, ...comparisons.map(({ versions }) => versions)),
      'onnxruntime-node': readPackageVersion('onnxruntime-node'),
    },
  };
}

function locateProgram(program: string): string {
  return join(import.meta.dirname, 'predict', program);
}

function readPackageVersion(name: string): string {
  const file = join(import.meta.dirname, '../node_modules', name, 'package.json');
  return JSON.parse(readFileSync(file, 'utf8')).version;
}
