import { IAMClient, paginateSimulatePrincipalPolicy } from '@aws-sdk/client-iam';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import { BOOTSTRAP } from './bootstrap.ts';
import type { Verdict } from './finding.ts';

/** What each signer of results needs, and organisations' service control policies often forbid. */
const ACTIONS_OF_SIGNERS = {
  'iam-user': ['iam:CreateUser', 'iam:CreateAccessKey'],
  cloudfront: ['cloudfront:CreateDistribution', 'cloudfront:CreatePublicKey'],
} as const satisfies Record<StageConfig['results']['signer'], readonly string[]>;

/**
 * Those of the signers' actions that a service control policy forbids in the account, as IAM simulates it for
 * the role with which CloudFormation deploys. Such a policy binds every role of the account. IAM does not
 * evaluate those with conditions, so an empty list proves nothing.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_testing-policies.html
 */
export async function readForbidden(connection: Connection): Promise<readonly string[]> {
  const { Account: account, Arn: caller } = await new STSClient(connection).send(
    new GetCallerIdentityCommand({}),
  );
  const partition = caller?.split(':')[1];
  if (account === undefined || partition === undefined) throw new Error('STS returned no account');
  const role = `cdk-${BOOTSTRAP.qualifier}-cfn-exec-role-${account}-${connection.region}`;
  const simulation = paginateSimulatePrincipalPolicy(
    { client: new IAMClient(connection) },
    {
      PolicySourceArn: `arn:${partition}:iam::${account}:role/${role}`,
      ActionNames: Object.values(ACTIONS_OF_SIGNERS).flat(),
    },
  );
  const forbidden: string[] = [];
  for await (const { EvaluationResults = [] } of simulation) {
    for (const { EvalActionName, OrganizationsDecisionDetail } of EvaluationResults) {
      if (OrganizationsDecisionDetail?.AllowedByOrganizations !== false) continue;
      if (EvalActionName !== undefined) forbidden.push(EvalActionName);
    }
  }
  return forbidden;
}

export function checkForbidden(
  { results: { signer } }: StageConfig,
  forbidden: readonly string[],
): Verdict {
  const of = (one: typeof signer) =>
    ACTIONS_OF_SIGNERS[one].filter((action) => forbidden.includes(action));
  if (of(signer).length === 0) {
    return {
      verdict: 'fine',
      says: `no service control policy is known to forbid results.signer '${signer}'`,
    };
  }
  const other = signer === 'iam-user' ? 'cloudfront' : 'iam-user';
  const remedy =
    of(other).length === 0
      ? `set results.signer to '${other}', or ask for an exception`
      : `ask for an exception: '${other}' is forbidden, too`;
  return {
    verdict: 'wrong',
    says: `a service control policy forbids ${of(signer).join(', ')}: the deployment rolls back. Before the first one ${remedy}`,
  };
}
