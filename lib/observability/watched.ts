import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Api } from '../api.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Reconciler } from '../reconciler.ts';
import type { ServiceFunction } from '../service-function.ts';
import type { SigningKey } from '../signing-key.ts';
import type { Storage } from '../storage.ts';
import type { Webhooks } from '../webhooks.ts';
import type { AuthorizerFaults } from './authorizer-faults.ts';

/** Everything that dashboards show and alarms watch. */
export interface Watched {
  readonly config: StageConfig;
  readonly storage: Storage;
  readonly api: Api;
  readonly pipeline: Pipeline;
  readonly webhooks: Webhooks;
  readonly reconciler: Reconciler;
  readonly signingKey: SigningKey;
  /** Behind the live-progress widget. */
  readonly widget: ServiceFunction;
  readonly authorizerFaults: AuthorizerFaults;
}

export function functionsOf(watched: Watched): readonly ServiceFunction[] {
  const { api, pipeline, webhooks, reconciler, signingKey, widget } = watched;
  return [
    ...api.functions,
    ...pipeline.steps,
    webhooks.deliver,
    reconciler.reconcile,
    ...signingKey.functions,
    widget,
  ];
}

/** Errors of a function. A key that the authorizer rejects is not counted. */
export function errorsOf(
  { api, authorizerFaults }: Watched,
  fn: ServiceFunction,
  options: MetricOptions,
): Metric {
  return fn === api.authorizer ? authorizerFaults.metric(options) : fn.metricErrors(options);
}
