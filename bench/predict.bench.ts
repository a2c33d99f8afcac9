import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchReport } from './bench.ts';
import { benchPython, missingInR } from './bench-python.ts';

const TREES = 500;
/** Set `BENCH_POINTS` for a shorter run. */
const POINTS = Number(process.env['BENCH_POINTS'] ?? 1_000_000);
const ROUNDS = 2;
/** Number of predictions that are compared with scikit-learn's. */
const COMPARED = 20_000;

interface Engine {
  readonly name: string;
  /** Points per round; fewer for slow engines, so that the benchmark takes minutes. */
  readonly points: number;
  readonly kind: 'ours' | 'interpreter' | 'compiled';
  /** Whether it has scikit-learn's forest, so that its predictions are compared. */
  readonly compared: boolean;
  run(folder: string, points: number): Used;
}

interface Used {
  readonly cpu_s: number;
  readonly wall_s: number;
  readonly load_s?: number;
  readonly version?: string;
  readonly nodes?: number;
}

export const bench: Bench = {
  title: `${TREES} trees, ${POINTS.toLocaleString('en')} points, one thread, compared with other engines`,
  async run(): Promise<BenchReport> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-predict-'));
    try {
      const python = benchPython();
      const make = join(import.meta.dirname, 'predict/make_forest.py');
      const forest: Used = lastLine(python, [make, folder, String(TREES), String(POINTS)]);
      const noR = missingInR('ranger', 'terra');
      const engines = enginesOf(python, noR === undefined);
      return report(engines, alternate(folder, engines), forest.nodes ?? 0, noR);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function enginesOf(python: string, withR: boolean): readonly Engine[] {
  const slow = POINTS / 5;
  const inNode = (name: string, kind: Engine['kind'], points: number): Engine => ({
    name,
    kind,
    points,
    compared: true,
    run: (folder, some) =>
      lastLine(process.execPath, [
        '--import',
        'tsx',
        beside('node-engines.ts'),
        folder,
        name,
        `${some}`,
      ]),
  });
  const inPython = (name: string, kind: Engine['kind'], points: number): Engine => ({
    name,
    kind,
    points,
    compared: kind !== 'compiled',
    run: (folder, some) => lastLine(python, [beside('python_engines.py'), folder, name, `${some}`]),
  });
  const inR = (name: string): Engine => ({
    name,
    kind: 'interpreter',
    points: slow,
    compared: false,
    run: (folder, some) => lastLine('Rscript', [beside('r_engines.R'), folder, name, `${some}`]),
  });
  return [
    inNode('ours', 'ours', POINTS),
    inNode('ours, plain TypeScript', 'ours', slow),
    inNode('ONNX Runtime', 'interpreter', slow),
    inPython('scikit-learn', 'interpreter', slow),
    inPython('treelite', 'interpreter', slow / 10),
    ...(withR ? [inR('ranger'), inR('terra')] : []),
    inPython('tl2cgen', 'compiled', slow),
  ];
}

interface Measured extends Engine {
  readonly best: Used;
  /** Number of predictions with a relative difference above 1e-5 from scikit-learn's. */
  readonly different: number;
}

/** Runs every engine in every round, so that other load on the machine affects all of them. */
function alternate(folder: string, engines: readonly Engine[]): readonly Measured[] {
  const runs = new Map<string, Used[]>();
  const predictions = new Map<string, Float32Array>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, points, run } of engines) {
      console.log(`  round ${round + 1}: ${name}`);
      runs.set(name, [...(runs.get(name) ?? []), run(folder, points)]);
      predictions.set(name, predictionsIn(folder));
    }
  }
  const expected = predictions.get('scikit-learn') ?? new Float32Array();
  return engines.map((engine) => ({
    ...engine,
    best: (runs.get(engine.name) ?? []).reduce((a, b) => (b.cpu_s < a.cpu_s ? b : a)),
    different: (predictions.get(engine.name) ?? expected)
      .subarray(0, COMPARED)
      .filter((v, i) => Math.abs(v - (expected[i] ?? 0)) > 1e-5 * Math.abs(expected[i] ?? 0))
      .length,
  }));
}

function report(
  engines: readonly Engine[],
  measured: readonly Measured[],
  nodes: number,
  noR: string | undefined,
): BenchReport {
  const rate = ({ points, best }: Measured): number => points / best.cpu_s;
  const named = (name: string) => measured.find((engine) => engine.name === name);
  const ours = named('ours');
  const interpreters = measured.filter(({ kind }) => kind === 'interpreter');
  const fastest = interpreters.reduce((a, b) => (rate(b) > rate(a) ? b : a));
  if (ours === undefined) throw new Error(`no engine of ours among ${engines.length}`);
  const differ = measured.filter(({ compared, different }) => compared && different > 0);
  return {
    columns: ['engine', 'kind', 'points/s', 'ours ÷ it', 'points', 'CPU s', 'wall s', 'load s'],
    rows: measured.map((engine) => [
      engine.name,
      engine.kind,
      Math.round(rate(engine)).toLocaleString('en'),
      (rate(ours) / rate(engine)).toFixed(2),
      engine.points.toLocaleString('en'),
      engine.best.cpu_s.toFixed(2),
      engine.best.wall_s.toFixed(2),
      engine.best.load_s?.toFixed(2) ?? '',
    ]),
    notes: [
      `A scikit-learn forest of ${nodes.toLocaleString('en')} nodes over 8 features; points are independent random numbers, the hardest case for a cache and for branch prediction. CPU time of the prediction, best of ${ROUNDS} alternating rounds. ranger and terra predict with ranger's own forest of the same samples (${(named('ranger')?.best.nodes ?? 0).toLocaleString('en')} nodes). tl2cgen is the forest as C, compiled by gcc -O2, with a tenth of the trees and ten times the measured time: gcc takes too long for all trees. This favours tl2cgen, because the smaller code fits into the caches.`,
      `Ours is ${(rate(ours) / rate(fastest)).toFixed(2)} × the best interpreter, ${fastest.name}. Goal: ≥ 2.`,
      differ.length === 0
        ? `None of the first ${COMPARED.toLocaleString('en')} predictions differs by more than 1e-5 from scikit-learn's, for engines with the same forest.`
        : `Predictions that differ by more than 1e-5 from scikit-learn's: ${differ.map(({ name, different }) => `${name} ${different}`).join(', ')}.`,
      ...(noR === undefined ? [] : [`ranger and terra are left out: ${noR}.`]),
    ],
    versions: {
      ...Object.fromEntries(
        measured.flatMap(({ name, best }) => (best.version ? [[name, best.version]] : [])),
      ),
      'onnxruntime-node': packageVersion('onnxruntime-node'),
    },
  };
}

function beside(program: string): string {
  return join(import.meta.dirname, 'predict', program);
}

function predictionsIn(folder: string): Float32Array {
  return new Float32Array(new Uint8Array(readFileSync(join(folder, 'predictions.f32'))).buffer);
}

function packageVersion(name: string): string {
  const file = join(import.meta.dirname, '../node_modules', name, 'package.json');
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

function lastLine<T>(command: string, args: readonly string[]): T {
  const printed = execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as T;
}
