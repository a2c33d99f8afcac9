import { LIMITS } from '../../lambdas/domain/limits.ts';
import {
  type Delays,
  THROTTLED_RECORD,
  THROTTLED_SHARE,
  THROTTLED_STEP,
} from '../../lib/retries.ts';
import { countMillionSeconds, listCeilings } from './ceilings.ts';
import { computeCostRange, computeDayCost, computeJobCost, QUOTA_DAYS } from './cost.ts';
import { simulateThrottling } from './patience.ts';
import { FIELD, type JobKind, REGION, WORKLOADS } from './work.ts';

/** The tables of `docs/scale-and-cost.md`, by their names there. */
export type Tables = Readonly<Record<'ceilings' | 'million' | 'patience' | 'cost' | 'day', string>>;

export function formatTables(): Tables {
  return {
    ceilings: formatCeilingTable(),
    million: formatMillionTable(),
    patience: formatPatienceTable(),
    cost: formatCostTable(),
    day: formatDayTable(),
  };
}

/** Limits that are only reached with more jobs per day than this are not shown. */
export const SHOWN_BELOW = 3_000_000;

function formatCeilingTable(): string {
  const columns = WORKLOADS.map(
    ([kind, jobs]) => new Map(listCeilings(kind, jobs).map((row) => [row.what, row])),
  );
  const [first] = columns;
  return formatColumns(
    ['', ...WORKLOADS.map(([kind, jobs]) => formatWorkload(kind, jobs))],
    [...(first?.keys() ?? [])]
      .map((what) => [what, columns.map((column) => column.get(what)?.jobsADay ?? 0)] as const)
      .filter(([, jobs]) => Math.min(...jobs) < SHOWN_BELOW)
      .map(([what, jobs]) => [what, ...jobs.map(formatRounded)]),
  );
}

const THROTTLED_STEPS: readonly (readonly [states: string, delays: Delays])[] = [
  ['`PlanJob`, `AssembleRaster`, `FinishFailedJob`, `FinishBatch`', THROTTLED_STEP],
  ['`PredictShare`', THROTTLED_SHARE],
  ['`FailShare`', THROTTLED_RECORD],
];

function formatPatienceTable(): string {
  return formatColumns(
    [
      'state',
      'retries',
      'mean wait (10 s)',
      'mean wait (30 s)',
      'failures (4 h)',
      'failures (8 h)',
    ],
    THROTTLED_STEPS.map(([states, delays]) => {
      return [
        states,
        formatNumber(delays.maxAttempts),
        ...[10, 30].map((seconds) => formatDuration(simulateThrottling(delays, seconds).meanWait)),
        ...[4, 8].map((hours) => formatPercent(simulateThrottling(delays, hours * 3_600).failed)),
      ];
    }),
  );
}

function formatWorkload({ name }: JobKind, jobsPerBatch: number): string {
  return jobsPerBatch === 1
    ? `${name}s, 1 per batch`
    : `${name}s, ${formatNumber(jobsPerBatch)} per batch`;
}

function formatMillionTable(): string {
  const [fields, regions] = [countMillionSeconds(FIELD), countMillionSeconds(REGION)];
  return formatColumns(
    ['', 'fields', 'regions'],
    [
      ...[...fields].map(([what, seconds]) => [
        what,
        formatDuration(seconds),
        formatDuration(regions.get(what) ?? Number.NaN),
      ]),
      ['cost, 1,000 per batch', ...formatMillionCost(1_000, 'total')],
      ['of that, state transitions', ...formatMillionCost(1_000, 'stateMachine')],
      ['cost, 1 per batch', ...formatMillionCost(1, 'total')],
    ],
  );
}

function formatMillionCost(
  jobsPerBatch: number,
  part: 'total' | 'stateMachine',
): readonly string[] {
  return [FIELD, REGION].map(
    (kind) => `$${formatRounded(1e6 * computeJobCost(kind, jobsPerBatch)[part])}`,
  );
}

function formatCostTable(): string {
  // The batch adds little to the cost of a region.
  const shown = WORKLOADS.filter(([kind, jobs]) => kind !== REGION || jobs > 1);
  const columns = shown.map(([kind, jobs]) => computeJobCost(kind, jobs));
  type Part = keyof (typeof columns)[number];
  const formatDollars = (cost: number) => String(Number((1_000 * cost).toPrecision(2)));
  const formatCostRow = (name: string, ...parts: readonly Part[]) => [
    name,
    ...columns.map((cost) => formatDollars(parts.reduce((sum, part) => sum + cost[part], 0))),
  ];
  const formatCostRange = (name: string, part: Part) => [
    name,
    ...columns.map((cost) => {
      const [least, most] = computeCostRange(cost[part], cost);
      return `${formatDollars(cost[part])} (${formatDollars(least)} to ${formatDollars(most)})`;
    }),
  ];
  return formatColumns(
    ['', ...shown.map(([kind, jobs]) => formatWorkload(kind, jobs))],
    [
      formatCostRow('Step Functions', 'stateMachine'),
      formatCostRow('Lambda', 'functions'),
      formatCostRow('S3', 'objects'),
      formatCostRow('DynamoDB', 'table'),
      formatCostRow('API Gateway, SQS, KMS, logs', 'api', 'queue', 'keys', 'logs'),
      formatCostRange('**together**', 'total'),
    ],
  );
}

function formatDayTable(): string {
  return formatColumns(
    [`${formatNumber(LIMITS.hectaresPerDay)} ha in a day`, 'dollars'],
    QUOTA_DAYS.map((day) => [day.what, String(Number(computeDayCost(day).toPrecision(2)))]),
  );
}

export function formatDuration(seconds: number): string {
  if (seconds < 1) return '< 1 s';
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3_600).toFixed(1)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

function formatPercent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-GB');
}

/** Rounds to two digits, because the inputs have no more. Infinity means that nothing is limited. */
function formatRounded(value: number): string {
  if (!Number.isFinite(value)) return 'none';
  return Number(value.toPrecision(2)).toLocaleString('en-GB');
}

function formatColumns(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, at) =>
    Math.max(column.length, 3, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}
