import {
  type Delays,
  THROTTLED_RECORD,
  THROTTLED_SHARE,
  THROTTLED_STEP,
} from '../../lib/retries.ts';
import { ceilings, secondsOfMillion } from './ceilings.ts';
import { outlast, patienceOf } from './patience.ts';
import { FIELD, type JobKind, REGION } from './work.ts';

/** The tables of `docs/scale-and-cost.md`, by the name they have there. */
export type Tables = Readonly<Record<'ceilings' | 'million' | 'patience', string>>;

/** How jobs may come: their kind, and how many a batch. */
const WORKLOADS: readonly (readonly [kind: JobKind, jobsPerBatch: number])[] = [
  [FIELD, 1],
  [FIELD, 1_000],
  [REGION, 1],
  [REGION, 1_000],
];

export function tables(): Tables {
  return { ceilings: ceilingTable(), million: millionTable(), patience: patienceTable() };
}

function ceilingTable(): string {
  const columns = WORKLOADS.map(
    ([kind, jobs]) => new Map(ceilings(kind, jobs).map((row) => [row.what, row])),
  );
  const [first] = columns;
  return table(
    ['', ...WORKLOADS.map(([kind, jobs]) => workloadName(kind, jobs))],
    [...(first?.keys() ?? [])].map((what) => [
      what,
      ...columns.map((column) => rounded(column.get(what)?.jobsADay ?? 0)),
    ]),
  );
}

const THROTTLED_STEPS: readonly (readonly [states: string, delays: Delays])[] = [
  ['`PlanJob`, `AssembleRaster`, `FinishFailedJob`, `FinishBatch`', THROTTLED_STEP],
  ['`PredictShare`', THROTTLED_SHARE],
  ['`FailShare`', THROTTLED_RECORD],
];

function patienceTable(): string {
  return table(
    [
      'state',
      'retries',
      'mean wait in all',
      'longest wait in all',
      'wait after 10 s',
      'after 30 s',
      'fail in 4 h',
      'in 8 h',
    ],
    THROTTLED_STEPS.map(([states, delays]) => {
      const { mean, most } = patienceOf(delays);
      return [
        states,
        number(delays.maxAttempts),
        duration(mean),
        duration(most),
        ...[10, 30].map((seconds) => duration(outlast(delays, seconds).meanWait)),
        ...[4, 8].map((hours) => percent(outlast(delays, hours * 3_600).failed)),
      ];
    }),
  );
}

function workloadName({ name }: JobKind, jobsPerBatch: number): string {
  return jobsPerBatch === 1
    ? `${name}s, 1 per batch`
    : `${name}s, ${number(jobsPerBatch)} per batch`;
}

function millionTable(): string {
  const [fields, regions] = [secondsOfMillion(FIELD), secondsOfMillion(REGION)];
  return table(
    ['', 'fields', 'regions'],
    [...fields].map(([what, seconds]) => [
      what,
      duration(seconds),
      duration(regions.get(what) ?? Number.NaN),
    ]),
  );
}

export function duration(seconds: number): string {
  if (seconds < 1) return '< 1 s';
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3_600).toFixed(1)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}

/** Rounds to two digits, since the inputs have no more. Infinity means that nothing is limited. */
function rounded(value: number): string {
  if (!Number.isFinite(value)) return 'none';
  return Number(value.toPrecision(2)).toLocaleString('en-GB');
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, at) =>
    Math.max(column.length, 3, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}
