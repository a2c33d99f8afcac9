import { LIMITS } from '../../lambdas/domain/limits.ts';
import {
  type Delays,
  THROTTLED_RECORD,
  THROTTLED_SHARE,
  THROTTLED_STEP,
} from '../../lib/retries.ts';
import { ceilings, secondsOfMillion } from './ceilings.ts';
import { costOfDay, costOfJob, QUOTA_DAYS, rangeOf } from './cost.ts';
import { outlast } from './patience.ts';
import { FIELD, type JobKind, REGION } from './work.ts';

/** The tables of `docs/scale-and-cost.md`, by the name they have there. */
export type Tables = Readonly<Record<'ceilings' | 'million' | 'patience' | 'cost' | 'day', string>>;

/** How jobs may come: their kind, and how many a batch. */
const WORKLOADS: readonly (readonly [kind: JobKind, jobsPerBatch: number])[] = [
  [FIELD, 1],
  [FIELD, 1_000],
  [REGION, 1],
  [REGION, 1_000],
];

export function tables(): Tables {
  return {
    ceilings: ceilingTable(),
    million: millionTable(),
    patience: patienceTable(),
    cost: costTable(),
    day: dayTable(),
  };
}

/** Limits that nobody reaches with fewer jobs a day are not shown. */
export const SHOWN_BELOW = 3_000_000;

function ceilingTable(): string {
  const columns = WORKLOADS.map(
    ([kind, jobs]) => new Map(ceilings(kind, jobs).map((row) => [row.what, row])),
  );
  const [first] = columns;
  return table(
    ['', ...WORKLOADS.map(([kind, jobs]) => workloadName(kind, jobs))],
    [...(first?.keys() ?? [])]
      .map((what) => [what, columns.map((column) => column.get(what)?.jobsADay ?? 0)] as const)
      .filter(([, jobs]) => Math.min(...jobs) < SHOWN_BELOW)
      .map(([what, jobs]) => [what, ...jobs.map(rounded)]),
  );
}

const THROTTLED_STEPS: readonly (readonly [states: string, delays: Delays])[] = [
  ['`PlanJob`, `AssembleRaster`, `FinishFailedJob`, `FinishBatch`', THROTTLED_STEP],
  ['`PredictShare`', THROTTLED_SHARE],
  ['`FailShare`', THROTTLED_RECORD],
];

function patienceTable(): string {
  return table(
    ['state', 'retries', 'wait after 10 s', 'after 30 s', 'fail in 4 h', 'in 8 h'],
    THROTTLED_STEPS.map(([states, delays]) => {
      return [
        states,
        number(delays.maxAttempts),
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
    [
      ...[...fields].map(([what, seconds]) => [
        what,
        duration(seconds),
        duration(regions.get(what) ?? Number.NaN),
      ]),
      ['cost, 1,000 per batch', ...dollarsOfMillion(1_000, 'total')],
      ['of that, state transitions', ...dollarsOfMillion(1_000, 'stateMachine')],
      ['cost, 1 per batch', ...dollarsOfMillion(1, 'total')],
    ],
  );
}

function dollarsOfMillion(jobsPerBatch: number, part: 'total' | 'stateMachine'): readonly string[] {
  return [FIELD, REGION].map((kind) => `$${rounded(1e6 * costOfJob(kind, jobsPerBatch)[part])}`);
}

/** Dollars of a thousand jobs. */
function costTable(): string {
  // A batch adds little to the cost of a region.
  const shown = WORKLOADS.filter(([kind, jobs]) => kind !== REGION || jobs > 1);
  const columns = shown.map(([kind, jobs]) => costOfJob(kind, jobs));
  type Part = keyof (typeof columns)[number];
  const dollars = (cost: number) => String(Number((1_000 * cost).toPrecision(2)));
  const row = (name: string, ...parts: readonly Part[]) => [
    name,
    ...columns.map((cost) => dollars(parts.reduce((sum, part) => sum + cost[part], 0))),
  ];
  const range = (name: string, part: Part) => [
    name,
    ...columns.map((cost) => {
      const [least, most] = rangeOf(cost[part], cost);
      return `${dollars(cost[part])} (${dollars(least)} to ${dollars(most)})`;
    }),
  ];
  return table(
    ['', ...shown.map(([kind, jobs]) => workloadName(kind, jobs))],
    [
      row('Step Functions', 'stateMachine'),
      row('Lambda', 'functions'),
      row('S3', 'objects'),
      row('DynamoDB', 'table'),
      row('API Gateway, SQS, KMS, logs', 'api', 'queue', 'keys', 'logs'),
      range('**together**', 'total'),
    ],
  );
}

/** Dollars of a day's default quota. */
function dayTable(): string {
  return table(
    [`${number(LIMITS.hectaresPerDay)} ha in a day`, 'dollars'],
    QUOTA_DAYS.map((day) => [day.what, String(Number(costOfDay(day).toPrecision(2)))]),
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
