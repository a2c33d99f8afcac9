import { type Bench, type BenchReport, formatAgainstGoal } from './bench.ts';
import { runPython } from './measured-process.ts';

const SIZES = [90, 900, 9_000];
/** A goal of linear growth, with what noise and caches add. */
const MOST_EXPONENT = 1.1;
/** How many times as long as the start of the command, with so many fields, a verb may take. */
const MOST_STARTS: Readonly<Record<string, { readonly fields: number; readonly most: number }>> = {
  estimate: { fields: 90, most: 3 },
  'run, nothing to do': { fields: 900, most: 5 },
  download: { fields: 900, most: 12 },
  'download, nothing to do': { fields: 900, most: 5 },
  retry: { fields: 900, most: 12 },
};

type Seconds = Readonly<Record<string, readonly number[]>>;

function rowOf(verb: string, seconds: readonly number[], start: number): readonly string[] {
  const [, middle = Number.NaN, last = Number.NaN] = seconds;
  const goal = MOST_STARTS[verb];
  const judgedSeconds = goal === undefined ? undefined : seconds[SIZES.indexOf(goal.fields)];
  return [
    verb,
    ...seconds.map((one) => one.toFixed(1)),
    formatAgainstGoal(Math.log10(last / middle), { most: MOST_EXPONENT }, 2),
    goal === undefined || judgedSeconds === undefined
      ? ''
      : `${formatAgainstGoal(judgedSeconds / start, { most: goal.most }, 1)} with ${goal.fields}`,
  ];
}

export const bench: Bench = {
  title: 'CPU time of the Python command by the number of fields',
  async run(): Promise<BenchReport> {
    const { start = [], ...verbs } = runPython<Seconds>('growth/command.py', ...SIZES);
    return {
      columns: [
        'verb',
        ...SIZES.map((size) => `${size.toLocaleString('en')} fields`),
        'exponent',
        '÷ start',
      ],
      rows: Object.entries(verbs).map(([verb, seconds]) =>
        rowOf(verb, seconds, Math.min(...start)),
      ),
      notes: [
        `CPU seconds of the command and of the process that reads its file, a GeoPackage, one run each. The service is a fake that is finished at once: it repeats what the development service responds for two jobs, one of which fails; one job in ten fails. The exponent is that of the step from ${SIZES[1]} to ${SIZES[2]} fields: 1 is linear. The start is \`soil-batch --version\`, ${Math.min(...start).toFixed(2)} s: interpreter and imports.`,
      ],
      versions: {},
    };
  },
};
