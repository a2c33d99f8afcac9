import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { BatchRunner } from '../../domain/batch/batch-store.ts';
import type { BatchId } from '../../domain/identity.ts';
import { CLIENT_OPTIONS } from '../client-options.ts';

/** One execution a batch, under the batch's own id. */
export function stepFunctionsBatchRunner(
  stateMachineArn: string,
  client: SFNClient = new SFNClient({ ...CLIENT_OPTIONS }),
): BatchRunner {
  return {
    async start(batchId, totalJobs) {
      try {
        await client.send(
          new StartExecutionCommand({
            stateMachineArn,
            name: batchId,
            input: JSON.stringify({ batch_id: batchId, last_job_index: totalJobs - 1 }),
          }),
        );
      } catch (error) {
        // It ended less than 90 days ago under this name; while it runs AWS answers with success.
        if (!(error instanceof ExecutionAlreadyExists)) throw error;
      }
    },

    async state(batchId) {
      try {
        const { status } = await client.send(
          new DescribeExecutionCommand({ executionArn: executionArn(stateMachineArn, batchId) }),
        );
        return status === 'RUNNING' || status === 'PENDING_REDRIVE' ? 'running' : 'ended';
      } catch (error) {
        if (error instanceof ExecutionDoesNotExist) return 'absent';
        throw error;
      }
    },
  };
}

/** `arn:…:stateMachine:<machine>` (or a version of it) → `arn:…:execution:<machine>:<name>` */
export function executionArn(stateMachineArn: string, name: BatchId): string {
  const [arn, partition, service, region, account, , machine] = stateMachineArn.split(':');
  return [arn, partition, service, region, account, 'execution', machine, name].join(':');
}
