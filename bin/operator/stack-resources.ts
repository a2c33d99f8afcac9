import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import type { Connection } from './stage-table.ts';

export interface StackResource {
  readonly type: string;
  readonly logicalId: string;
  readonly physicalId: string;
}

/** @param stack its name; it must exist */
export async function resourcesOf(
  connection: Connection,
  stack: string,
): Promise<readonly StackResource[]> {
  const client = new CloudFormationClient(connection);
  const found: StackResource[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: stack })) {
    for (const resource of page.StackResourceSummaries ?? []) {
      if (resource.ResourceStatus === 'DELETE_COMPLETE') continue;
      found.push({
        type: resource.ResourceType ?? '',
        logicalId: resource.LogicalResourceId ?? '',
        physicalId: resource.PhysicalResourceId ?? '',
      });
    }
  }
  return found;
}
