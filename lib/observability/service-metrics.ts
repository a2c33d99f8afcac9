import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type Described,
  METRICS,
  type MetricName,
  NAMESPACE,
  type ValueOf,
} from '../../lambdas/observability/metric-catalogue.ts';
import type { StageConfig } from '../config/stage-config.ts';

/** Value of the dimension `service`, which separates the stages of an account. */
export function metricsService({ stage }: Pick<StageConfig, 'stage'>): string {
  return `soil-batch-${stage}`;
}

/** A metric of the catalogue, with one value of its dimension if it has one. */
export function serviceMetric<Name extends MetricName>(
  config: Pick<StageConfig, 'stage'>,
  name: Name,
  options: MetricOptions,
  ...[kind]: ValueOf<Name> extends never ? [] : [kind: ValueOf<Name>]
): Metric {
  const { dimension }: Described = METRICS[name];
  return new Metric({
    namespace: NAMESPACE,
    metricName: name,
    period: Duration.minutes(1),
    dimensionsMap: {
      service: metricsService(config),
      ...(dimension === undefined || kind === undefined ? {} : { [dimension]: kind }),
    },
    ...options,
  });
}
