import {
  DescribeEventBusCommand,
  EventBridgeClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-eventbridge';
import { GetPolicyCommand, IAMClient, NoSuchEntityException } from '@aws-sdk/client-iam';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import type { Verdict } from './finding.ts';
import { ifExists } from './read-result.ts';
import { readWebAcls } from './web-acls.ts';

// Resources that the configuration names. Each read is null if it names none.

export async function readEventBus(
  connection: Connection,
  { eventBus: Name }: Pick<StageConfig, 'eventBus'>,
): Promise<boolean | null> {
  if (Name === undefined) return null;
  const client = new EventBridgeClient(connection);
  const read = client.send(new DescribeEventBusCommand({ Name }));
  return (await ifExists(read, ResourceNotFoundException)) !== null;
}

export async function readBoundary(
  connection: Connection,
  { permissionsBoundary: PolicyArn }: Pick<StageConfig, 'permissionsBoundary'>,
): Promise<boolean | null> {
  if (PolicyArn === undefined) return null;
  const read = new IAMClient(connection).send(new GetPolicyCommand({ PolicyArn }));
  return (await ifExists(read, NoSuchEntityException)) !== null;
}

/** Of the distribution. */
export async function readWebAcl(
  connection: Connection,
  { results: { webAclArn } }: Pick<StageConfig, 'results'>,
): Promise<boolean | null> {
  if (webAclArn === undefined) return null;
  return (await readWebAcls(connection, 'CLOUDFRONT')).includes(webAclArn);
}

export function checkExists(
  named: string | undefined,
  exists: boolean | null,
  otherwise: string,
): Verdict {
  if (named === undefined || exists === null) return { verdict: 'fine', says: 'none configured' };
  if (exists) return { verdict: 'fine', says: named };
  return { verdict: 'wrong', says: `${named} does not exist: ${otherwise}` };
}
