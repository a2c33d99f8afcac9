import { NAMESPACE } from '../../../lambdas/observability/metric-catalogue.ts';
import type { Line } from './log-lines.ts';

/** A metric of a dashboard's body: `[namespace, name, dimension, value, …, options]`. */
export interface MetricQuery {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly stat: string;
}

/** One value per minute from the start of the run; null where nothing was measured. */
export type Datapoints = readonly (number | null)[];

export interface RunMetrics {
  datapointsOf(metric: MetricQuery): Datapoints;
}

const MINUTE = 60_000;

/** The sources of a run's metrics. */
export interface RunRecords {
  readonly lines: readonly Line[];
  readonly executions: readonly Execution[];
  /** The emulator's counts, read from time to time. */
  readonly operations: readonly Operations[];
}

export interface Operations {
  readonly at: Date;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * The metrics of a run, per minute: the service's own from their log lines (EMF), as CloudWatch extracts
 * them; AWS's metrics of requests, durations and executions from log lines and execution lists;
 * invocations, table units and state transitions from the emulator's counts. It has no others.
 */
export function metricsOfRun(records: RunRecords, since: Date, minutes: number): RunMetrics {
  const { lines } = records;
  const start = Math.floor(since.getTime() / MINUTE) * MINUTE;
  const logged = lines.flatMap(({ fields }): readonly TimedFields[] => {
    const at = instantOf(fields);
    return fields === null || at === undefined ? [] : [{ at, fields }];
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
    datapointsOf(metric) {
      const measure = SOURCES[metric.namespace];
      return byMinute(measure?.(metric, logged, records) ?? [], metric.stat);
    },
  };
}

export interface Execution {
  readonly startDate?: Date | undefined;
  readonly stopDate?: Date | undefined;
  readonly status?: string | undefined;
}

interface TimedFields {
  readonly at: number;
  readonly fields: NonNullable<Line['fields']>;
}

type Values = readonly (readonly [at: number, value: number])[];
type Source = (metric: MetricQuery, logged: readonly TimedFields[], records: RunRecords) => Values;

function instantOf(fields: Line['fields']): number | undefined {
  const { Timestamp } = (fields?.['_aws'] ?? {}) as { readonly Timestamp?: number };
  const time = fields?.['timestamp'];
  return Timestamp ?? (typeof time === 'string' ? Date.parse(time) : undefined);
}

const SOURCES: Readonly<Record<string, Source>> = {
  [NAMESPACE]: ({ name, dimensions }, logged) =>
    logged
      .filter(({ fields }) => '_aws' in fields && name in fields)
      .filter(({ fields }) =>
        Object.entries(dimensions).every(([dimension, value]) => fields[dimension] === value),
      )
      .flatMap(({ at, fields }) =>
        [fields[name]].flat().map((value) => [at, Number(value)] as const),
      ),

  'AWS/ApiGateway': ({ name, dimensions }, logged) => {
    const deployment = dimensions['ApiName']?.slice(-2).toLowerCase();
    const requests = logged.filter(({ fields }) => fields['deployment'] === deployment);
    return requests.flatMap(({ at, fields }) => {
      const status = Number(fields['status']);
      if (name === 'Count') return [[at, 1] as const];
      if (name === 'Latency') return [[at, Number(fields['duration_ms'])] as const];
      const isCounted = Math.floor(status / 100) === Number(name[0]);
      return [[at, isCounted ? 1 : 0] as const];
    });
  },

  'AWS/Lambda': ({ name, dimensions }, logged, { operations }) => {
    const { FunctionName = '' } = dimensions;
    if (name === 'Invocations') return increments(operations, `lambda.calls.${FunctionName}`);
    const own = logged.filter(({ fields }) =>
      FunctionName.includes(camel(String(fields['event']))),
    );
    return own.flatMap(({ at, fields }) => {
      if (name === 'Duration') return [[at, Number(fields['duration_ms'])] as const];
      if (name !== 'Errors') return [];
      return [[at, fields['outcome'] === 'threw' ? 1 : 0] as const];
    });
  },

  'AWS/DynamoDB': ({ name }, _, { operations }) => {
    const counted = COUNTED_UNITS[name];
    return counted === undefined ? [] : increments(operations, counted);
  },

  'AWS/States': ({ name, dimensions }, _, { executions, operations }) => {
    // Of the whole account, per second.
    if (dimensions['ServiceMetric'] !== undefined) {
      if (name !== 'ConsumedCapacity') return [];
      return increments(operations, 'states.transitions', 'per second');
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

/** The increase of a count between two reads. */
function increments(operations: readonly Operations[], counted: string, by?: 'per second'): Values {
  return operations.slice(1).map(({ at, counts }, index) => {
    const before = operations[index];
    const seconds = (at.getTime() - (before?.at.getTime() ?? 0)) / 1_000;
    const more = (counts[counted] ?? 0) - (before?.counts[counted] ?? 0);
    return [at.getTime(), by === undefined ? more : more / seconds] as const;
  });
}

const instant = (date: Date | undefined): Values =>
  date === undefined ? [] : [[date.getTime(), 1]];

/** `plan-job` → `PlanJob`, as in the function's construct id. */
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
