import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import {
  type Described,
  METRICS,
  type MetricName,
  NAMESPACE,
  type ValueOf,
} from './metric-catalogue.ts';

/** Embedded metrics: a line of the log that CloudWatch reads as figures, without a call or a wait. */
const metrics = new Metrics({ namespace: NAMESPACE });

/**
 * Records a figure, under the one value of its dimension where the catalogue gives it one. Who calls
 * names the metric literally: a test finds the calls and holds them to what dashboards draw.
 */
export function measure<Name extends MetricName>(
  name: Name,
  value: number,
  ...[kind]: ValueOf<Name> extends never ? [] : [kind: ValueOf<Name>]
): void {
  const { unit, dimension }: Described = METRICS[name];
  if (dimension !== undefined && kind !== undefined) metrics.addDimension(dimension, kind);
  metrics.addMetric(name, MetricUnit[unit], value);
  metrics.publishStoredMetrics();
}
