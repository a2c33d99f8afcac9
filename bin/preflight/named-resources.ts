import {
  DescribeEventBusCommand,
  EventBridgeClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-eventbridge';
import { GetPolicyCommand, IAMClient, NoSuchEntityException } from '@aws-sdk/client-iam';
import { ListWebACLsCommand, type Scope, WAFV2Client } from '@aws-sdk/client-wafv2';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import { ifExists } from './attempt.ts';
import type { Verdict } from './finding.ts';

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

/** ARNs of the web ACLs for the region's APIs and load balancers, or for the account's distributions. */
export async function readWebAcls(
  connection: Connection,
  scope: Scope,
): Promise<readonly string[]> {
  const region = scope === 'CLOUDFRONT' ? { region: 'us-east-1' } : {};
  const client = new WAFV2Client({ ...connection, ...region });
  const found: string[] = [];
  let NextMarker: string | undefined;
  do {
    const page = await client.send(new ListWebACLsCommand({ Scope: scope, NextMarker }));
    found.push(...(page.WebACLs ?? []).flatMap(({ ARN }) => ARN ?? []));
    NextMarker = page.NextMarker;
  } while (NextMarker !== undefined);
  return found;
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
