import { IAMClient, SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { listStackNames, type StageName } from '../../lib/stages.ts';
import type { Connection } from '../operator/stage-table.ts';
import { BOOTSTRAP } from './bootstrap.ts';
import type { Verdict } from './finding.ts';

/**
 * Actions that create the URL-signing user and its keys, and that organisations' service control policies often forbid.
 */
const ACTIONS = ['iam:CreateUser', 'iam:CreateAccessKey'];

/**
 * Returns the actions that a service control policy forbids in the account, as IAM simulates it for the role with which
 * CloudFormation deploys. Such a policy binds every role of the account. IAM does not evaluate policies with
 * conditions, so even an action that is not listed may be forbidden.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_testing-policies.html
 */
export async function readForbidden(
  connection: Connection & { readonly region: string },
  stage: StageName,
): Promise<readonly string[]> {
  const { Account: account, Arn: caller } = await new STSClient(connection).send(
    new GetCallerIdentityCommand({}),
  );
  const partition = caller?.split(':')[1];
  if (account === undefined || partition === undefined) throw new Error('STS returned no account');
  const role = `cdk-${BOOTSTRAP.qualifier}-cfn-exec-role-${account}-${connection.region}`;
  const { EvaluationResults = [] } = await new IAMClient(connection).send(
    new SimulatePrincipalPolicyCommand({
      PolicySourceArn: `arn:${partition}:iam::${account}:role/${role}`,
      ActionNames: ACTIONS,
      // An organisation's exception to its policy matches the user by this name, to which CloudFormation appends a
      // random part.
      ResourceArns: [
        `arn:${partition}:iam::${account}:user/${listStackNames(stage).stateful}-SecretsSigningUser`,
      ],
    }),
  );
  return EvaluationResults.flatMap(({ EvalActionName, OrganizationsDecisionDetail }) =>
    OrganizationsDecisionDetail?.AllowedByOrganizations === false ? (EvalActionName ?? []) : [],
  );
}

export function checkForbidden(forbidden: readonly string[]): Verdict {
  if (forbidden.length === 0) {
    return {
      verdict: 'fine',
      says: 'no known service control policy forbids creating the user and its keys',
    };
  }
  return {
    verdict: 'wrong',
    says: `a service control policy forbids ${forbidden.join(', ')}, so the deployment would roll back; ask for an exception (docs/organisations.md)`,
  };
}
