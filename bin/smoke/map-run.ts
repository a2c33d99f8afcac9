import {
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { executionArn } from '../../lambdas/adapters/batch-runner.ts';
import type { BatchStatus } from './batches.ts';
import { require, Skipped } from './check.ts';
import type { DeployedStage } from './stage.ts';

/**
 * Measures how long a distributed map takes besides its children: what a batch of several jobs waits, and
 * `MAP_SECONDS` of `bench/scale/work.ts` assumes.
 */
export async function mapOverhead(
  { connection, stateMachineArn }: DeployedStage,
  { batch_id, jobs }: BatchStatus,
): Promise<string> {
  if (jobs.length === 1) throw new Skipped('a batch of one job has no map');
  const client = new SFNClient(connection);
  const { events = [] } = await client.send(
    new GetExecutionHistoryCommand({ executionArn: executionArn(stateMachineArn, batch_id) }),
  );
  const started = events.find(({ type }) => type === 'MapRunStarted');
  const ended = events.find(({ type }) => type === 'MapRunSucceeded');
  const mapRunArn = started?.mapRunStartedEventDetails?.mapRunArn;
  require(mapRunArn !== undefined, `the execution of batch ${batch_id} started no map run`);
  const { executions = [] } = await client.send(new ListExecutionsCommand({ mapRunArn }));
  return describeOverhead({
    from: timeOf(started),
    to: timeOf(ended),
    children: executions.map(({ startDate, stopDate }) => ({
      from: startDate?.getTime() ?? Number.NaN,
      to: stopDate?.getTime() ?? Number.NaN,
    })),
  });
}

function timeOf(event: HistoryEvent | undefined): number {
  return event?.timestamp?.getTime() ?? Number.NaN;
}

/** In milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** @throws Error if a time is missing */
export function describeOverhead({
  from,
  to,
  children,
}: Span & { readonly children: readonly Span[] }): string {
  const before = Math.min(...children.map((child) => child.from)) - from;
  const after = to - Math.max(...children.map((child) => child.to));
  require(Number.isFinite(before + after), 'the map run or a child has no start or end');
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  return `${seconds(before + after)} s besides its ${children.length} children: ${seconds(before)} s before the first, ${seconds(after)} s after the last`;
}
