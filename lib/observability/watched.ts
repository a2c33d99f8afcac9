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
import { nameMetricsService, type ServiceFunction } from '../service-function.ts';
import type { Foundation } from '../stateful-stack.ts';
import type { StatelessStack } from '../stateless-stack.ts';

/** Everything that dashboards show and alarms watch. */
export interface Watched
  extends Pick<Foundation, 'config' | 'storage'>,
    Pick<StatelessStack, 'api' | 'pipeline' | 'webhooks' | 'reconciler' | 'signingKey'> {}

export function listFunctions(watched: Watched): readonly ServiceFunction[] {
  const { api, pipeline, webhooks, reconciler, signingKey } = watched;
  return [
    ...api.functions,
    ...pipeline.steps,
    webhooks.deliver,
    reconciler.reconcile,
    ...signingKey.functions,
  ];
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
      service: nameMetricsService(config),
      ...(dimension === undefined || kind === undefined ? {} : { [dimension]: kind }),
    },
    ...options,
  });
}
