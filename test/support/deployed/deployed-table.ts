import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { openTable, type Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import { listStackNames } from '../../../lib/stages.ts';
import { configureClient } from '../../../local/emulator/emulator.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';

export async function openDeployedTable(
  service: Pick<ServiceDescription, 'endpoint_url' | 'region'>,
): Promise<Table> {
  const configuration = configureClient({
    endpointUrl: service.endpoint_url,
    region: service.region,
  });
  const stack = await new CloudFormationClient(configuration).send(
    new DescribeStacksCommand({ StackName: listStackNames('local').stateful }),
  );
  const outputs = stack.Stacks?.[0]?.Outputs ?? [];
  const name = outputs.find(({ OutputKey }) => OutputKey === 'TableName')?.OutputValue;
  if (name === undefined) throw new Error('the stack has no output TableName');
  return openTable(name, new DynamoDBClient(configuration));
}
