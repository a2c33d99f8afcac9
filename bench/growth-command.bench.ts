import { type Bench, type BenchReport, formatAgainstGoal } from './bench.ts';
import { runPython } from './measured-process.ts';
import { computeExponent } from './own-use.ts';

const SIZES: readonly [number, number, number] = [90, 900, 9_000];
/** A goal of linear growth, with a margin for noise and caches. */
const MOST_EXPONENT = 1.1;
/** The CPU time that a subcommand may take for a number of fields, as a multiple of the command's start-up time. */
const MOST_STARTS: Readonly<Record<string, { readonly fields: number; readonly most: number }>> = {
  estimate: { fields: 90, most: 5 },
  'run, nothing to do': { fields: 900, most: 8 },
  download: { fields: 900, most: 24 },
  'download, nothing to do': { fields: 900, most: 5 },
  retry: { fields: 900, most: 20 },
};

type Seconds = Readonly<Record<string, readonly number[]>>;

function formatRow(
  subcommand: string,
  seconds: readonly number[],
  starts: readonly number[],
): readonly string[] {
  const [, middle = Number.NaN, last = Number.NaN] = seconds;
  const step = [
    [SIZES[1], middle],
    [SIZES[2], last],
  ] as const;
  const goal = MOST_STARTS[subcommand];
  return [
    subcommand,
    ...seconds.map((value) => value.toFixed(1)),
    formatAgainstGoal(computeExponent(step), { most: MOST_EXPONENT }, 2),
    goal === undefined ? '' : formatStarts(goal, seconds, starts),
  ];
}

function formatStarts(
  { fields, most }: { readonly fields: number; readonly most: number },
  seconds: readonly number[],
  starts: readonly number[],
): string {
  const at = SIZES.indexOf(fields);
  const ratio = (seconds[at] ?? Number.NaN) / (starts[at] ?? Number.NaN);
  return `${formatAgainstGoal(ratio, { most }, 1)} with ${fields} fields`;
}

export const bench: Bench = {
  title: 'CPU time of the Python command by the number of fields',
  async run(): Promise<BenchReport> {
    const { start = [], ...subcommands } = runPython<Seconds>('growth/command.py', ...SIZES);
    return {
      columns: [
        'subcommand',
        ...SIZES.map((size) => `${size.toLocaleString('en')} fields`),
        'exponent',
        '÷ start-up',
      ],
      rows: Object.entries({ 'start-up': start, ...subcommands }).map(([subcommand, seconds]) =>
        formatRow(subcommand, seconds, start),
      ),
      notes: [
        `CPU seconds of one run of each subcommand, including the child process that reads the GeoPackage. The service is a fake whose batches finish immediately. It repeats the development service's responses for a completed and for a failed job. One job in ten fails, but retried jobs succeed. The exponent describes the growth from ${SIZES[1]} to ${SIZES[2].toLocaleString('en')} fields; 1 means linear growth. Start-up is \`soil-batch --version\` (interpreter and imports), the minimum of three runs.`,
      ],
      versions: {},
    };
  },
};
