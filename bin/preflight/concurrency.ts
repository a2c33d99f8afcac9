import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  countConcurrentPredictions,
  countReservedPredictions,
  LEAST_UNRESERVED,
} from '../../lib/config/capacity.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { listStackNames, type StageName } from '../../lib/stages.ts';
import type { Connection } from '../operator/stage-table.ts';
import { describeStack } from './bootstrap.ts';
import type { Verdict } from './finding.ts';

/** The assumed average duration of a request, including its share of authorizer invocations and cold starts. */
const REQUEST_SECONDS = 0.25;

/** The concurrency of background functions: the reconciler runs once a minute, and the key rotation less often. */
const BACKGROUND_CONCURRENCY = 1;

/**
 * Returns the Lambda concurrency that a stage may reach: deliveries, steps of jobs, background functions, and requests
 * at the API's rate.
 */
export function countRequiredConcurrency(
  stage: Pick<StageConfig, 'runningBatches' | 'concurrency' | 'webhooks' | 'throttling'>,
): number {
  const requests = Math.ceil(stage.throttling.requestsPerSecond * REQUEST_SECONDS);
  // A job's planning and assembly run before and after its predictions, outside the reserved concurrency.
  const besidesReserved =
    countReservedPredictions(stage) === 0 ? 0 : stage.runningBatches.inAll * stage.concurrency.jobs;
  const steps = countConcurrentPredictions(stage) + besidesReserved;
  return steps + stage.webhooks.concurrency + requests + BACKGROUND_CONCURRENCY;
}

/** Concurrent executions of the account in the region. */
export interface AccountConcurrency {
  readonly limit: number;
  readonly reserved: number;
  /** Whether the stage is deployed, in which case `reserved` includes its own reservation. */
  readonly isDeployed: boolean;
}

export async function readConcurrency(
  connection: Connection,
  stage: StageName,
): Promise<AccountConcurrency> {
  const [{ AccountLimit = {} }, deployed] = await Promise.all([
    new LambdaClient(connection).send(new GetAccountSettingsCommand({})),
    describeStack(connection, listStackNames(stage).stateless),
  ]);
  const { ConcurrentExecutions: limit, UnreservedConcurrentExecutions } = AccountLimit;
  if (limit === undefined) throw new Error('Lambda did not return a concurrency limit');
  const reserved = limit - (UnreservedConcurrentExecutions ?? limit);
  return { limit, reserved, isDeployed: deployed !== undefined };
}

/** A deployed stage is compared with the whole limit, because part of the reserved concurrency is its own. */
export function checkConcurrency(
  config: StageConfig,
  { limit, reserved, isDeployed }: AccountConcurrency,
): Verdict {
  const available = isDeployed ? limit : limit - reserved;
  const needed = countRequiredConcurrency(config);
  const predictions = countReservedPredictions(config);
  const refused = predictions > 0 && available - predictions < LEAST_UNRESERVED;
  const others =
    !isDeployed && reserved > 0
      ? ` (the limit of ${limit} less ${reserved} that functions reserve)`
      : '';
  const says = `${available} available${others}; the stage uses at most ${needed}`;
  if (available >= needed && !refused) return { verdict: 'fine', says };
  const effect = refused
    ? `Lambda refuses to reserve ${predictions} for predictions, because it requires that ${LEAST_UNRESERVED} remain unreserved`
    : 'the stage can be deployed, but the API and other functions will be throttled and jobs will wait for hours';
  return {
    verdict: refused ? 'wrong' : 'raise',
    says: `${says}: ${effect}. Raise Lambda's "Concurrent executions" (L-B99A9384), or lower runningBatches and concurrency in lib/config/each-stage.ts`,
  };
}
