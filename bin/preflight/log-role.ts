import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import type { Verdict } from './finding.ts';

/** Null if no role is set. */
export async function readLogRole(connection: Connection): Promise<string | null> {
  const client = new APIGatewayClient(connection);
  const { cloudwatchRoleArn = '' } = await client.send(new GetAccountCommand({}));
  return cloudwatchRoleArn === '' ? null : cloudwatchRoleArn;
}

/** A role named after a stack of the service was created by that stack, whose deletion keeps the role. */
export function checkLogRole({ apiLogRole }: StageConfig, role: string | null): Verdict {
  if (apiLogRole === 'keep') {
    return role === null
      ? {
          verdict: 'wrong',
          says: "no role is set, so API Gateway cannot write access logs and the deployment fails; change apiLogRole to 'set'",
        }
      : { verdict: 'fine', says: `${role} is kept; it must be able to write logs` };
  }
  if (role === null) return { verdict: 'fine', says: 'no role is set; the deployment creates one' };
  if (/:role\/SoilBatch-/.test(role)) return { verdict: 'fine', says: role };
  return {
    verdict: 'replaces',
    says: `${role} is set; the deployment would replace it for all APIs of the account and region. To keep it, change apiLogRole to 'keep'`,
  };
}
