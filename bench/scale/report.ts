import {
  type Delays,
  THROTTLED_RECORD,
  THROTTLED_SHARE,
  THROTTLED_STEP,
} from '../../lib/retries.ts';
import { ceilings } from './ceilings.ts';
import { patienceOf } from './patience.ts';
import type { Scenario } from './scenarios.ts';
import type { Outcome } from './simulate.ts';
import { FIELD, type JobKind, REGION } from './work.ts';

/** The tables of `docs/scale-and-cost.md`, by the name they have there. */
export type Tables = Readonly<Record<'ceilings' | 'patience' | 'scenarios' | 'newcomers', string>>;

export interface Run {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
}

/** How jobs may come: their kind, and how many a batch. */
const WORKLOADS: readonly (readonly [kind: JobKind, jobsPerBatch: number])[] = [
  [FIELD, 1],
  [FIELD, 1_000],
  [REGION, 1],
  [REGION, 1_000],
];

export function tablesOf(runs: readonly Run[], newcomers: readonly Run[]): Tables {
  return {
    ceilings: ceilingTable(),
    patience: patienceTable(),
    scenarios: scenarioTable(runs),
    newcomers: newcomerTable(newcomers),
  };
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
    ['state', 'retries', 'longest pause', 'mean wait in all', 'longest wait in all'],
    THROTTLED_STEPS.map(([states, delays]) => {
      const { mean, most } = patienceOf(delays);
      const longest = duration(delays.maxDelay.toSeconds());
      return [states, number(delays.maxAttempts), longest, duration(mean), duration(most)];
    }),
  );
}

function workloadName({ name }: JobKind, jobsPerBatch: number): string {
  return jobsPerBatch === 1
    ? `${name}s, 1 per batch`
    : `${name}s, ${number(jobsPerBatch)} per batch`;
}

function scenarioTable(runs: readonly Run[]): string {
  return table(
    [
      'jobs per day',
      'start, p95',
      'end, p50',
      'end, p95',
      'calls throttled',
      'peak concurrency',
      'peak writes/s',
    ],
    runs.map(({ scenario, outcome }) => [
      scenario.name,
      duration(quantile(outcome.waited, 0.95)),
      duration(quantile(outcome.took, 0.5)),
      duration(quantile(outcome.took, 0.95)),
      share(outcome.throttled, outcome.calls),
      number(outcome.peakFunctions),
      number(outcome.peakWrites),
    ]),
  );
}

function newcomerTable(runs: readonly Run[]): string {
  return table(
    ['busy tenants', 'reserved', 'newcomer starts', 'newcomer ends', 'others end, p50'],
    runs.map(({ scenario: { demand, setting }, outcome: { newcomer, took } }) => [
      number(demand.tenants),
      number(setting.reserved),
      duration(newcomer?.waited ?? Number.NaN),
      duration(newcomer?.took ?? Number.NaN),
      duration(quantile(took, 0.5)),
    ]),
  );
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
}

export function duration(seconds: number): string {
  if (seconds < 1) return '< 1 s';
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}

function share(part: number, whole: number): string {
  if (part === 0) return '0';
  const percent = (100 * part) / whole;
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}

/** To two digits: the inputs are no better. `none` if nothing is limited. */
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
