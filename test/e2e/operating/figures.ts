import { NAMESPACE } from '../../../lambdas/observability/metric-catalogue.ts';
import type { Line } from './logged.ts';

/** A metric as a dashboard's body names it: `[namespace, name, dimension, value, …, options]`. */
export interface Wanted {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly stat: string;
}

/** One value a minute, from some instant on; null where nothing was measured. */
export type Course = readonly (number | null)[];

export interface Figures {
  courseOf(metric: Wanted): Course;
}

const MINUTE = 60_000;

/** What a run left behind. */
export interface Traces {
  readonly lines: readonly Line[];
  readonly executions: readonly Execution[];
  /** What it counted of all operations, from time to time. */
  readonly operations: readonly Operations[];
}

export interface Operations {
  readonly at: Date;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * What a run has measured, minute by minute: our own metrics from the lines that carry them, which
 * CloudWatch would read too. What AWS counts of requests, functions' times and executions is counted here
 * from the lines and lists they are in; calls of functions, units of the table and state transitions from
 * the emulator's count. Of all else it measures nothing.
 */
export function figuresOf(traces: Traces, since: Date, minutes: number): Figures {
  const { lines } = traces;
  const start = Math.floor(since.getTime() / MINUTE) * MINUTE;
  const told = lines.flatMap(({ members }): readonly ViewOf[] => {
    const at = instantOf(members);
    return members === null || at === undefined ? [] : [{ at, members }];
  });
  const byMinute = (values: readonly (readonly [at: number, value: number])[], stat: string) =>
    Array.from({ length: minutes }, (_, minute) => {
      const within = values.filter(([at]) => Math.floor((at - start) / MINUTE) === minute);
      return within.length === 0
        ? null
        : statisticOf(
            within.map(([, value]) => value),
            stat,
          );
    });
  return {
    courseOf(metric) {
      const measure = SOURCES[metric.namespace];
      return byMinute(measure?.(metric, told, traces) ?? [], metric.stat);
    },
  };
}

export interface Execution {
  readonly startDate?: Date | undefined;
  readonly stopDate?: Date | undefined;
  readonly status?: string | undefined;
}

interface ViewOf {
  readonly at: number;
  readonly members: NonNullable<Line['members']>;
}

type Values = readonly (readonly [at: number, value: number])[];
type Source = (metric: Wanted, told: readonly ViewOf[], traces: Traces) => Values;

function instantOf(members: Line['members']): number | undefined {
  const { Timestamp } = (members?.['_aws'] ?? {}) as { readonly Timestamp?: number };
  const time = members?.['timestamp'];
  return Timestamp ?? (typeof time === 'string' ? Date.parse(time) : undefined);
}

const SOURCES: Readonly<Record<string, Source>> = {
  [NAMESPACE]: ({ name, dimensions }, told) =>
    told
      .filter(({ members }) => '_aws' in members && name in members)
      .filter(({ members }) =>
        Object.entries(dimensions).every(([dimension, value]) => members[dimension] === value),
      )
      .flatMap(({ at, members }) =>
        [members[name]].flat().map((value) => [at, Number(value)] as const),
      ),

  'AWS/ApiGateway': ({ name, dimensions }, told) => {
    const deployment = dimensions['ApiName']?.slice(-2).toLowerCase();
    const requests = told.filter(({ members }) => members['deployment'] === deployment);
    return requests.flatMap(({ at, members }) => {
      const status = Number(members['status']);
      if (name === 'Count') return [[at, 1] as const];
      if (name === 'Latency') return [[at, Number(members['duration_ms'])] as const];
      const isCounted = Math.floor(status / 100) === Number(name[0]);
      return [[at, isCounted ? 1 : 0] as const];
    });
  },

  'AWS/Lambda': ({ name, dimensions }, told, { operations }) => {
    const { FunctionName = '' } = dimensions;
    if (name === 'Invocations') return grown(operations, `lambda.calls.${FunctionName}`);
    const own = told.filter(({ members }) =>
      FunctionName.includes(camel(String(members['event']))),
    );
    return own.flatMap(({ at, members }) => {
      if (name === 'Duration') return [[at, Number(members['duration_ms'])] as const];
      if (name !== 'Errors') return [];
      return [[at, members['outcome'] === 'threw' ? 1 : 0] as const];
    });
  },

  'AWS/DynamoDB': ({ name }, _, { operations }) => {
    const counted = COUNTED_UNITS[name];
    return counted === undefined ? [] : grown(operations, counted);
  },

  'AWS/States': ({ name, dimensions }, _, { executions, operations }) => {
    // Of the account, a second.
    if (dimensions['ServiceMetric'] !== undefined) {
      if (name !== 'ConsumedCapacity') return [];
      return grown(operations, 'states.transitions', 'a second');
    }
    return executions.flatMap(({ startDate, stopDate, status }) => {
      if (name === 'ExecutionsStarted') return instant(startDate);
      return name.toUpperCase() === `EXECUTIONS${status}` ? instant(stopDate) : [];
    });
  },
};

const COUNTED_UNITS: Readonly<Record<string, string>> = {
  ConsumedReadCapacityUnits: 'dynamodb.read_units',
  ConsumedWriteCapacityUnits: 'dynamodb.write_units',
};

/** By how much a count grew from one look to the next. */
function grown(operations: readonly Operations[], counted: string, by?: 'a second'): Values {
  return operations.slice(1).map(({ at, counts }, index) => {
    const before = operations[index];
    const seconds = (at.getTime() - (before?.at.getTime() ?? 0)) / 1_000;
    const more = (counts[counted] ?? 0) - (before?.counts[counted] ?? 0);
    return [at.getTime(), by === undefined ? more : more / seconds] as const;
  });
}

const instant = (date: Date | undefined): Values =>
  date === undefined ? [] : [[date.getTime(), 1]];

/** `plan-job` → `PlanJob`, as the stack names its function. */
function camel(event: string): string {
  return event.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
}

function statisticOf(values: readonly number[], stat: string): number {
  const sorted = [...values].sort((a, b) => a - b);
  const sum = sorted.reduce((total, value) => total + value, 0);
  if (stat === 'Sum') return sum;
  if (stat === 'Average') return sum / sorted.length;
  if (stat === 'Maximum') return sorted.at(-1) ?? 0;
  const part = Number(stat.slice(1)) / 100;
  return sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
}
