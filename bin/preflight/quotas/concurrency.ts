import {
  concurrentPredictions,
  LEAST_UNRESERVED,
  reservedPredictions,
} from '../../../lib/config/capacity.ts';
import type { StageConfig } from '../../../lib/config/stage-config.ts';
import type { Verdict } from '../finding.ts';
import type { Functions } from './functions.ts';

/** The part of a stage's configuration that determines its use of Lambda concurrency. */
export type Concurrency = Pick<StageConfig, 'runningBatches' | 'throttling'> & {
  readonly concurrency: StageConfig['concurrency'];
  readonly webhooks: Pick<StageConfig['webhooks'], 'concurrency'>;
};

/** Average duration of a request with its part of the authorizer's invocations and of cold starts. */
const REQUEST_SECONDS = 0.25;

/** The reconciler runs once a minute; the widget and the key rotation less often. */
const IN_BACKGROUND = 1;

/** Lambda: the maximum concurrency of an SQS event source is at least 2. */
const MIN_DELIVERIES = 2;

/** The Lambda concurrency a stage may reach: steps of jobs, deliveries, requests at the API's rate. */
export function requiredConcurrency(stage: Concurrency): number {
  const requests = Math.ceil(stage.throttling.requestsPerSecond * REQUEST_SECONDS);
  const steps = concurrentPredictions(stage) + besidesReserved(stage);
  return steps + stage.webhooks.concurrency + requests + IN_BACKGROUND;
}

/** Plans and assemblies, one of each job: they run instead of its predictions, but not in what these reserve. */
function besidesReserved(stage: Concurrency): number {
  if (reservedPredictions(stage) === 0) return 0;
  return stage.runningBatches.inAll * stage.concurrency.jobs;
}

/** The lowest concurrency with which the service runs: one prediction, one request, the minimum of deliveries. */
export const MIN_CONCURRENCY = 1 + MIN_DELIVERIES + 1 + IN_BACKGROUND;

/**
 * Reduces a stage to an account's quota: at most 1/5 for deliveries and 3/10 for the API, the rest for
 * predictions, where several batches take precedence over several jobs of one batch.
 * @returns null if the quota is below the minimum
 */
export function fitToQuota(quota: number, stage: Concurrency): Concurrency | null {
  if (quota < MIN_CONCURRENCY) return null;
  const deliveries = atMost(stage.webhooks.concurrency, quota / 5, MIN_DELIVERIES);
  const { requestsPerSecond, burst, creations } = stage.throttling;
  const requests = atMost(Math.ceil(requestsPerSecond * REQUEST_SECONDS), (3 * quota) / 10, 1);
  const predictions = quota - deliveries - requests - IN_BACKGROUND;
  const patchBatches = atMost(stage.concurrency.patchBatches, Math.sqrt(predictions), 1);
  const inJobs = Math.floor(predictions / patchBatches);
  const inAll = atMost(stage.runningBatches.inAll, Math.ceil(Math.sqrt(2 * inJobs)), 1, inJobs);
  const rate = Math.min(requestsPerSecond, Math.floor(requests / REQUEST_SECONDS));
  const jobs = atMost(stage.concurrency.jobs, inJobs / inAll, 1);
  const fitting = {
    runningBatches: runningAtMost(inAll, stage.runningBatches),
    concurrency: { jobs, patchBatches, reservePredictions: false },
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
  if (stage.concurrency.reservePredictions !== true) return fitting;
  const reserving = { ...fitting, concurrency: { jobs, patchBatches, reservePredictions: true } };
  const least = reservedPredictions(reserving) + LEAST_UNRESERVED;
  return Math.max(least, requiredConcurrency(reserving)) <= quota ? reserving : fitting;
}

/** The reserve is rounded up: with few slots too, one tenant cannot hold them all. */
function runningAtMost(inAll: number, configured: StageConfig['runningBatches']) {
  const share = Math.ceil((configured.reserved * inAll) / configured.inAll);
  const reserved = Math.min(share, inAll - 1);
  return { inAll, reserved, perTenant: Math.min(configured.perTenant, inAll - reserved) };
}

function atMost(configured: number, room: number, least: number, most = configured): number {
  return Math.max(least, Math.min(configured, Math.floor(room), most));
}

/** The configuration keys whose values differ, each with its value in `next`. */
function changedValues(next: Concurrency, stage: Concurrency): readonly string[] {
  const before = new Map(valuesOf(stage));
  return valuesOf(next).flatMap(([key, value]) =>
    before.get(key) === value ? [] : [`${key}: ${value}`],
  );
}

function valuesOf(
  stage: Concurrency,
): readonly (readonly [key: string, value: number | boolean])[] {
  const { runningBatches, concurrency, webhooks, throttling } = stage;
  return [
    ['runningBatches.inAll', runningBatches.inAll],
    ['runningBatches.reserved', runningBatches.reserved],
    ['runningBatches.perTenant', runningBatches.perTenant],
    ['concurrency.jobs', concurrency.jobs],
    ['concurrency.patchBatches', concurrency.patchBatches],
    ['concurrency.reservePredictions', concurrency.reservePredictions ?? false],
    ['webhooks.concurrency', webhooks.concurrency],
    ['throttling.requestsPerSecond', throttling.requestsPerSecond],
    ['throttling.burst', throttling.burst],
    ['throttling.creations.requestsPerSecond', throttling.creations.requestsPerSecond],
    ['throttling.creations.burst', throttling.creations.burst],
  ];
}

/**
 * A first deployment has what others have neither reserved nor used in two weeks. Later that use is also the
 * stage's own, and CloudWatch cannot tell them apart: it is only reported.
 */
export function checkConcurrency(
  config: StageConfig,
  { concurrency, reserved, ownReserved, busiest }: Functions,
): Verdict {
  const isDeployed = ownReserved !== null;
  const predictions = reservedPredictions(config);
  const reservedByOthers = reserved - (ownReserved ?? 0);
  const unreserved = concurrency - reservedByOthers;
  const quota = isDeployed ? unreserved : Math.max(0, unreserved - busiest);
  const needed = requiredConcurrency(config);
  const others = [
    ...(reservedByOthers === 0 ? [] : [`other functions reserve ${reservedByOthers}`]),
    ...(busiest === 0
      ? []
      : [`${isDeployed ? 'with this stage' : 'others'} up to ${busiest} ran in two weeks`]),
  ];
  const available =
    others.length === 0 ? `${quota}` : `${quota} (of ${concurrency}; ${others.join(', ')})`;
  const refused = predictions > 0 && unreserved - predictions < LEAST_UNRESERVED;
  if (quota >= needed && !refused) {
    return { verdict: 'fine', says: `${available}; the stage uses at most ${needed}` };
  }
  const verdict = refused ? 'wrong' : 'raise';
  const effect = refused
    ? `Lambda refuses to reserve ${predictions} for predictions, because it requires that ${LEAST_UNRESERVED} remain`
    : 'it can be deployed, but the API and other functions are throttled and jobs wait for hours';
  const problem = `${available}; the stage uses up to ${needed}: ${effect}; raise Lambda's "Concurrent executions" (L-B99A9384)`;
  const fitting = fitToQuota(quota, config);
  if (fitting === null) {
    return { verdict, says: `${problem} by at least ${MIN_CONCURRENCY - quota}` };
  }
  const values = changedValues(fitting, config).join(', ');
  return { verdict, says: `${problem}, or set in lib/config/each-stage.ts ${values}` };
}
