import { ListWebACLsCommand, type Scope, WAFV2Client } from '@aws-sdk/client-wafv2';
import type { Connection } from '../operator/stage-table.ts';

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
