import type { Api } from '../api.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Reconciler } from '../reconciler.ts';
import type { ServiceFunction } from '../service-function.ts';
import type { SigningKey } from '../signing-key.ts';
import type { Storage } from '../storage.ts';
import type { Webhooks } from '../webhooks.ts';

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
