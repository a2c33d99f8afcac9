import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import {
  type DescribedMetric,
  METRICS,
  type MetricName,
  NAMESPACE,
  type ValueOf,
} from './metric-catalogue.ts';

/** CloudWatch reads embedded metrics from log lines, so recording them needs no request. */
const metrics = new Metrics({ namespace: NAMESPACE });

/** Callers name the metric literally, because a test finds the calls and compares them with the dashboards. */
export function measure<Name extends MetricName>(
  name: Name,
  value: number,
  ...[kind]: ValueOf<Name> extends never ? [] : [kind: ValueOf<Name>]
): void {
  const { unit, dimension }: DescribedMetric = METRICS[name];
  if (dimension !== undefined && kind !== undefined) metrics.addDimension(dimension, kind);
  metrics.addMetric(name, MetricUnit[unit], value);
  metrics.publishStoredMetrics();
}
