import { CloudFormationClient, paginateDescribeStackEvents } from '@aws-sdk/client-cloudformation';
import type { Connection } from '../operator/stage-table.ts';

/** The reason of a resource that CloudFormation cancelled because another resource failed. */
const CANCELLED = /^Resource (creation|update) cancelled$/;

/** The oldest reason comes first. */
export async function readFailures(
  connection: Connection,
  stacks: readonly string[],
  since: Date,
): Promise<readonly string[]> {
  const client = new CloudFormationClient(connection);
  const failures = await Promise.all(
    stacks.map((stack) => readStackFailures(client, stack, since)),
  );
  return failures
    .flat()
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ says }) => says);
}

async function readStackFailures(client: CloudFormationClient, StackName: string, since: Date) {
  const failures: { readonly at: Date; readonly says: string }[] = [];
  try {
    // The newest events come first.
    for await (const { StackEvents = [] } of paginateDescribeStackEvents(
      { client },
      { StackName },
    )) {
      const recent = StackEvents.filter(({ Timestamp: at = since }) => at > since);
      for (const { Timestamp: at = since, ...event } of recent) {
        const { ResourceStatus = '', ResourceStatusReason: reason = '', LogicalResourceId } = event;
        if (!ResourceStatus.endsWith('_FAILED') || reason === '' || CANCELLED.test(reason))
          continue;
        failures.push({ at, says: `${StackName}, ${LogicalResourceId}: ${reason}` });
      }
      if (recent.length < StackEvents.length) break;
    }
  } catch (error) {
    // The deployment failed before it created this stack.
    if (!(error instanceof Error && /does not exist/.test(error.message))) throw error;
  }
  return failures;
}
