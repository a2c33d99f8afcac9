import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, type BenchReport, type Goal, judged } from './bench.ts';
import { benchPython } from './bench-python.ts';

/** Models and points, which take minutes to make, are kept. */
const FOLDER = join(import.meta.dirname, '../.local/bench-predict');
/** Set `BENCH_POINTS` for a shorter run; other evaluators predict a tenth. */
const POINTS = Number(process.env['BENCH_POINTS'] ?? 320_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);

const MODELS = {
  lightgbm: 'LightGBM, 800 trees of 63 leaves',
  quantiles: 'LightGBM, 3 quantiles × 300 trees of 31 leaves',
  catboost: 'CatBoost, 500 trees of depth 6',
  xgboost: 'XGBoost, 500 trees of depth 8',
  'small-forest': 'random forest, 500 trees of 300 samples',
  forest: 'random forest, 200 trees of 5,500 samples',
  'extra-trees': 'extra trees, 200 of 3,500 samples',
} as const;
const KINDS = { smooth: 'smooth', noisy: '30 % noise', random: 'random' } as const;
const EVALUATORS = ['ours', 'ONNX Runtime', 'library', 'lleaves'] as const;

type Model = keyof typeof MODELS;
type Kind = keyof typeof KINDS;
type Evaluator = (typeof EVALUATORS)[number];
const kinds = Object.keys(KINDS) as Kind[];

interface Run {
  /** CPU time by the kind of points. */
  readonly cpu_s: Readonly<Record<string, number>>;
  readonly versions?: Readonly<Record<string, string>>;
}

/** The runs of the evaluators on one model and kind of points. */
interface Comparison {
  readonly model: Model;
  readonly kind: Kind;
  /** CPU seconds per million points, least of the rounds; without lleaves for other libraries. */
  readonly seconds: ReadonlyMap<Evaluator, number>;
  /** Largest difference from our results, relative to the largest result. */
  readonly difference: number;
  readonly versions: Readonly<Record<string, string>>;
}

export const bench: Bench = {
  title: 'tree ensembles on neighbouring cells and on random points, one thread, CPU s per million',
  async run(): Promise<BenchReport> {
    const python = benchPython();
    makeModels(python);
    const models = Object.keys(MODELS) as Model[];
    return report(models.flatMap((model) => compare(python, model)));
  },
};

function makeModels(python: string): void {
  const made = join(FOLDER, 'made');
  const script = readFileSync(beside('make_models.py'), 'utf8') + POINTS;
  if (existsSync(made) && readFileSync(made, 'utf8') === script) return;
  mkdirSync(FOLDER, { recursive: true });
  execFileSync(python, [beside('make_models.py'), FOLDER, `${POINTS}`], { stdio: 'inherit' });
  writeFileSync(made, script);
}

/** Runs every evaluator in every round, so that other load on the machine affects all of them. */
function compare(python: string, model: Model): readonly Comparison[] {
  const isLightGbm = model === 'lightgbm' || model === 'quantiles';
  const evaluators = EVALUATORS.filter((evaluator) => evaluator !== 'lleaves' || isLightGbm);
  const comparisons = kinds.map((kind) => ({
    model,
    kind,
    seconds: new Map<Evaluator, number>(),
    results: new Map<Evaluator, Float32Array>(),
  }));
  let versions = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const evaluator of evaluators) {
      const count = evaluator === 'ours' ? POINTS : POINTS / 10;
      const run = predict(python, [FOLDER, model, evaluator, `${count}`, ...kinds]);
      versions = { ...versions, ...run.versions };
      for (const { kind, seconds, results } of comparisons) {
        const perMillion = ((run.cpu_s[kind] ?? Number.NaN) / count) * 1e6;
        seconds.set(evaluator, Math.min(seconds.get(evaluator) ?? perMillion, perMillion));
        results.set(evaluator, predictions(kind));
        console.log(`  ${model}, ${kind}, ${evaluator}: ${perMillion.toFixed(2)}`);
      }
    }
  }
  return comparisons.map(({ results, ...comparison }) => {
    return { ...comparison, difference: largestDifference(results), versions };
  });
}

function predict(python: string, args: readonly string[]): Run {
  const inNode = args.includes('ours') || args.includes('ONNX Runtime');
  const printed = inNode
    ? execFileSync(process.execPath, ['--import', 'tsx', beside('node-evaluators.ts'), ...args])
    : execFileSync(python, [beside('python_evaluators.py'), ...args]);
  return JSON.parse(printed.toString().trimEnd().split('\n').at(-1) ?? '');
}

function predictions(kind: Kind): Float32Array {
  const bytes = readFileSync(join(FOLDER, `${kind}.predictions`));
  return new Float32Array(new Uint8Array(bytes).buffer);
}

function largestDifference(results: ReadonlyMap<Evaluator, Float32Array>): number {
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

function report(comparisons: readonly Comparison[]): BenchReport {
  return {
    columns: [
      'model',
      'points',
      ...EVALUATORS,
      'best interpreter ÷ ours',
      'lleaves ÷ ours',
      'difference',
    ],
    rows: comparisons.map(({ model, kind, seconds, difference }) => {
      const of = (evaluator: Evaluator): number => seconds.get(evaluator) ?? Number.NaN;
      const best = Math.min(of('ONNX Runtime'), of('library'));
      return [
        MODELS[model],
        KINDS[kind],
        ...EVALUATORS.map((evaluator) => seconds.get(evaluator)?.toFixed(2) ?? ''),
        judged(best / of('ours'), goalOf(model, kind), 1),
        seconds.has('lleaves')
          ? judged(of('lleaves') / of('ours'), kind === 'smooth' ? { least: 1 } : null, 1)
          : '',
        difference.toExponential(0),
      ];
    }),
    notes: [
      `16 covariates. Smooth: random fields that change over 30 cells, with 2 % noise, row by row over a width of 1,000 cells; 30 % noise: the same fields; random: independent points, which no raster has. Ours visits the cells in tiles, as the service does. CPU time of the prediction, least of ${ROUNDS} alternating rounds; library: the one that trained the model; lleaves: its trees as machine code. Ours predicts ${POINTS.toLocaleString('en')} points, the others a tenth of them.`,
      'Difference: the largest between our results and those of any other evaluator, relative to the largest result. Libraries that compare or add in another precision differ by rounding, or where a value falls on a threshold.',
    ],
    versions: {
      ...Object.assign({}, ...comparisons.map(({ versions }) => versions)),
      'onnxruntime-node': packageVersion('onnxruntime-node'),
    },
  };
}

/** Goals are for cells of a raster; independent points are there to compare. */
function goalOf(model: Model, kind: Kind): Goal | null {
  if (kind !== 'smooth') return null;
  switch (model) {
    case 'catboost':
      return { least: 1 };
    case 'small-forest':
    case 'forest':
    case 'extra-trees':
      return { least: 2 };
    case 'lightgbm':
    case 'quantiles':
    case 'xgboost':
      return { least: 3 };
  }
}

function beside(program: string): string {
  return join(import.meta.dirname, 'predict', program);
}

function packageVersion(name: string): string {
  const file = join(import.meta.dirname, '../node_modules', name, 'package.json');
  return JSON.parse(readFileSync(file, 'utf8')).version;
}
