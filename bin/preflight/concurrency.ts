import type { StageConfig } from '../../lib/config/stage-config.ts';

/** What of a stage's configuration takes Lambda's concurrent executions. */
export type Concurrency = Pick<StageConfig, 'runningBatches' | 'concurrency' | 'throttling'> & {
  readonly webhooks: Pick<StageConfig['webhooks'], 'concurrency'>;
};

/** A request of an operation and its share of the authorizer's calls, with a cold start now and then. */
const REQUEST_SECONDS = 0.25;

/** The reconciler runs once a minute; the widget and the key's rotation more rarely. */
const IN_BACKGROUND = 1;

/** Lambda: an SQS event source runs at least 2 functions. */
const FEWEST_DELIVERIES = 2;

/** Functions that a stage may run at once: predictions, deliveries, requests at the API's rate. */
export function functionsAtOnce(stage: Concurrency): number {
  const { inAll } = stage.runningBatches;
  const { jobs, patchBatches } = stage.concurrency;
  const requests = Math.ceil(stage.throttling.requestsPerSecond * REQUEST_SECONDS);
  return inAll * jobs * patchBatches + stage.webhooks.concurrency + requests + IN_BACKGROUND;
}

/** The fewest with which the service runs: one prediction, one request, the least of deliveries. */
export const FEWEST_FUNCTIONS = 1 + FEWEST_DELIVERIES + 1 + IN_BACKGROUND;

/**
 * The same stage, cut down to what an account allows: a fifth for deliveries and three tenths for the API
 * at most, the rest for predictions, of several batches before several jobs of one.
 * @returns null when nothing fits
 */
export function fittingTo(quota: number, stage: Concurrency): Concurrency | null {
  if (quota < FEWEST_FUNCTIONS) return null;
  const deliveries = atMost(stage.webhooks.concurrency, quota / 5, FEWEST_DELIVERIES);
  const { requestsPerSecond, burst, creations } = stage.throttling;
  const requests = atMost(Math.ceil(requestsPerSecond * REQUEST_SECONDS), (3 * quota) / 10, 1);
  const predictions = quota - deliveries - requests - IN_BACKGROUND;
  const patchBatches = atMost(stage.concurrency.patchBatches, Math.sqrt(predictions), 1);
  const inJobs = Math.floor(predictions / patchBatches);
  const inAll = atMost(stage.runningBatches.inAll, Math.ceil(Math.sqrt(2 * inJobs)), 1, inJobs);
  const rate = Math.min(requestsPerSecond, Math.floor(requests / REQUEST_SECONDS));
  return {
    runningBatches: { inAll, perTenant: Math.min(stage.runningBatches.perTenant, inAll) },
    concurrency: { jobs: atMost(stage.concurrency.jobs, inJobs / inAll, 1), patchBatches },
    webhooks: { concurrency: deliveries },
    throttling: {
      requestsPerSecond: rate,
      burst: Math.min(burst, 2 * rate),
      creations: {
        requestsPerSecond: Math.min(creations.requestsPerSecond, rate),
        burst: Math.min(creations.burst, 2 * rate),
      },
    },
  };
}

function atMost(configured: number, room: number, least: number, most = configured): number {
  return Math.max(least, Math.min(configured, Math.floor(room), most));
}

/** The keys whose values differ, as the configuration names them, each with its value in `next`. */
export function changesTo(next: Concurrency, stage: Concurrency): readonly string[] {
  const before = new Map(valuesOf(stage));
  return valuesOf(next).flatMap(([key, value]) =>
    before.get(key) === value ? [] : [`${key}: ${value}`],
  );
}

function valuesOf(stage: Concurrency): readonly (readonly [key: string, value: number])[] {
  const { runningBatches, concurrency, webhooks, throttling } = stage;
  return [
    ['runningBatches.inAll', runningBatches.inAll],
    ['runningBatches.perTenant', runningBatches.perTenant],
    ['concurrency.jobs', concurrency.jobs],
    ['concurrency.patchBatches', concurrency.patchBatches],
    ['webhooks.concurrency', webhooks.concurrency],
    ['throttling.requestsPerSecond', throttling.requestsPerSecond],
    ['throttling.burst', throttling.burst],
    ['throttling.creations.requestsPerSecond', throttling.creations.requestsPerSecond],
    ['throttling.creations.burst', throttling.creations.burst],
  ];
}
