import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import {
  type BatchRunner,
  type RunInput,
  toCopyRunInput,
  toRunInput,
} from '../domain/batch/batch.ts';
import { formatCopyRunName, formatRunName } from '../domain/identity.ts';

/**
 * Only starts executions, so that functions that neither query nor stop them have small bundles. An execution has the
 * name of its run, so that a repeated start does not run it twice.
 */
export function stepFunctionsStarter(
  stateMachineArn: string,
  client: SFNClient,
): Pick<BatchRunner, 'start' | 'startCopies'> {
  return {
    start: (run, restarts = 0) =>
      startNamed(formatRunName(run.batch_id, restarts), toRunInput(run)),
    startCopies: (batchId, request) =>
      startNamed(formatCopyRunName(batchId, request), toCopyRunInput(batchId)),
  };

  async function startNamed(name: string, input: RunInput): Promise<void> {
    try {
      await client.send(
        new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }),
      );
    } catch (error) {
      // An execution of this name ended less than 90 days ago. While one runs, AWS responds with success.
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    }
  }
}

export function stepFunctionsBatchRunner(stateMachineArn: string, client: SFNClient): BatchRunner {
  return {
    ...stepFunctionsStarter(stateMachineArn, client),

    async state(name) {
      try {
        const { status } = await client.send(
          new DescribeExecutionCommand({ executionArn: executionArn(stateMachineArn, name) }),
        );
        return status === 'RUNNING' || status === 'PENDING_REDRIVE' ? 'running' : 'ended';
      } catch (error) {
        if (error instanceof ExecutionDoesNotExist) return 'absent';
        throw error;
      }
    },

    async stop(batchId, restarts, cause) {
      try {
        await client.send(
          new StopExecutionCommand({
            executionArn: executionArn(stateMachineArn, formatRunName(batchId, restarts)),
            cause,
          }),
        );
        return 'stopped';
      } catch (error) {
        if (error instanceof ExecutionDoesNotExist) return 'absent';
        throw error;
      }
    },
  };
}

/**
 * Converts the ARN of a state machine or of one of its versions, `arn:…:stateMachine:<machine>`, to
 * `arn:…:execution:<machine>:<name>`.
 */
export function executionArn(stateMachineArn: string, name: string): string {
  const [arn, partition, service, region, account, , machine] = stateMachineArn.split(':');
  return [arn, partition, service, region, account, 'execution', machine, name].join(':');
}
