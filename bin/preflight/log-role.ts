import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import type { Verdict } from './finding.ts';

/** The role with which API Gateway logs for all APIs of the account and region; null if none is set. */
export async function readLogRole(connection: Connection): Promise<string | null> {
  const client = new APIGatewayClient(connection);
  const { cloudwatchRoleArn = '' } = await client.send(new GetAccountCommand({}));
  return cloudwatchRoleArn === '' ? null : cloudwatchRoleArn;
}

/** The role has the name of the stack that makes it and stays when the stack is deleted. */
export function checkLogRole({ apiLogRole }: StageConfig, role: string | null): Verdict {
  if (apiLogRole === 'keep') {
    return role === null
      ? {
          verdict: 'wrong',
          says: "none, and an API without it writes no access log: the deployment fails. Set apiLogRole to 'set'",
        }
      : { verdict: 'fine', says: `${role} is kept; it must be able to write logs` };
  }
  if (role === null) return { verdict: 'fine', says: 'none; the deployment sets one' };
  if (/:role\/SoilBatch-/.test(role)) return { verdict: 'fine', says: role };
  return {
    verdict: 'replaces',
    says: `${role}: the deployment sets another, with which all APIs of the account and region log from then on. Set apiLogRole to 'keep'`,
  };
}
