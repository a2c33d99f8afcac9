import {
  CloudWatchClient,
  GetDashboardCommand,
  GetMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import * as z from 'zod';
import { NAMESPACE } from '../../../lambdas/observability/metric-catalogue.ts';
import { listStackNames } from '../../../lib/stages.ts';
import { configureClient } from '../../../local/emulator/emulator.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';
import { type Line, listMetricNames } from '../deployed/log-lines.ts';
import { computePercentile } from './insights.ts';

const options = z.object({
  stat: z.string().default('Average'),
  label: z.string().optional(),
  color: z.string().optional(),
  yAxis: z.enum(['left', 'right']).default('left'),
  expression: z.string().optional(),
  visible: z.boolean().default(true),
});
const axis = z.object({ label: z.string().optional() }).optional();

/**
 * A widget's schema:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
 */
const widget = z.object({
  type: z.enum(['alarm', 'log', 'metric']),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  properties: z.object({
    title: z.string(),
    alarms: z.array(z.string()).optional(),
    query: z.string().optional(),
    metrics: z.array(z.array(z.union([z.string(), options]))).optional(),
    stacked: z.boolean().optional(),
    annotations: z
      .object({
        horizontal: z.array(z.object({ value: z.number(), label: z.string(), color: z.string() })),
      })
      .optional(),
    yAxis: z.object({ left: axis, right: axis }).optional(),
  }),
});
export type Widget = z.infer<typeof widget>;

export interface Series {
  readonly label: string;
  readonly color: string | undefined;
  readonly yAxis: 'left' | 'right';
  /** The value of each minute that has one, by the minute's milliseconds since 1970. */
  readonly points: ReadonlyMap<number, number>;
}

export type Endpoint = Pick<ServiceDescription, 'endpoint_url' | 'region'>;

export function openCloudWatch({ endpoint_url: endpointUrl, region }: Endpoint): CloudWatchClient {
  return new CloudWatchClient(configureClient({ endpointUrl, region }));
}

export async function readDashboard(client: CloudWatchClient): Promise<readonly Widget[]> {
  const DashboardName = `${listStackNames('local').observability}-operations`;
  const { DashboardBody = '' } = await client.send(new GetDashboardCommand({ DashboardName }));
  return z.object({ widgets: z.array(widget) }).parse(JSON.parse(DashboardBody)).widgets;
}

const MINUTE = 60_000;

/**
 * Reads what a graph shows: the service's metrics from the log lines from which CloudWatch would extract them, and
 * AWS's metrics as far as the emulator has them. Expressions are not evaluated, so they have no points.
 */
export async function readSeries(
  client: CloudWatchClient,
  { properties: { metrics = [] } }: Widget,
  lines: readonly Line[],
  since: Date,
): Promise<readonly Series[]> {
  const series = metrics.map(async (row) => {
    const { visible, label, color, yAxis, stat, expression } = options.parse(
      typeof row.at(-1) === 'object' ? row.at(-1) : {},
    );
    if (!visible) return [];
    const [namespace = '', name = '', ...dimensions] = row.filter(
      (part) => typeof part === 'string',
    );
    const metric = { namespace, name, dimensions: toPairs(dimensions), stat };
    const read =
      expression !== undefined
        ? new Map<number, number>()
        : namespace === NAMESPACE
          ? aggregateLines(lines, metric)
          : await readOfAws(client, metric, since);
    return [{ label: label ?? name, color, yAxis, points: read }];
  });
  return (await Promise.all(series)).flat();
}

interface MetricOfWidget {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: readonly (readonly [string, string])[];
  readonly stat: string;
}

function toPairs(flat: readonly string[]): readonly (readonly [string, string])[] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []));
}

function aggregateLines(
  lines: readonly Line[],
  { name, dimensions, stat }: MetricOfWidget,
): ReadonlyMap<number, number> {
  const minutes = new Map<number, number[]>();
  for (const { at, fields } of lines) {
    if (!listMetricNames(fields).includes(name)) continue;
    if (dimensions.some(([dimension, value]) => fields?.[dimension] !== value)) continue;
    const minute = Math.floor(at / MINUTE) * MINUTE;
    minutes.set(minute, [...(minutes.get(minute) ?? []), Number(fields?.[name])]);
  }
  return new Map([...minutes].map(([minute, values]) => [minute, computeStatistic(stat, values)]));
}

function computeStatistic(stat: string, values: readonly number[]): number {
  if (stat === 'Sum') return values.reduce((sum, value) => sum + value, 0);
  if (stat === 'Maximum') return Math.max(...values);
  const percent = Number(/^p(\d+)$/.exec(stat)?.[1] ?? Number.NaN);
  const value = computePercentile(values, percent);
  if (value === undefined) throw new Error(`the statistic ${stat} is not implemented`);
  return value;
}

async function readOfAws(
  client: CloudWatchClient,
  { namespace, name, dimensions, stat }: MetricOfWidget,
  since: Date,
): Promise<ReadonlyMap<number, number>> {
  const Dimensions = dimensions.map(([Name, Value]) => ({ Name, Value }));
  const Metric = { Namespace: namespace, MetricName: name, Dimensions };
  const { MetricDataResults: [found] = [] } = await client.send(
    new GetMetricDataCommand({
      StartTime: since,
      EndTime: new Date(),
      MetricDataQueries: [{ Id: 'metric', MetricStat: { Metric, Period: 60, Stat: stat } }],
    }),
  );
  return new Map(
    (found?.Timestamps ?? []).map((time, at) => [time.getTime(), found?.Values?.[at] ?? 0]),
  );
}
