import { IAMClient, paginateSimulatePrincipalPolicy } from '@aws-sdk/client-iam';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Connection } from '../operator/stage-table.ts';

/** What the stack does that organisations' service control policies often forbid. */
const SIGNING_USER_ACTIONS = ['iam:CreateUser', 'iam:CreateAccessKey'];

/**
 * Those of the signing user's actions that a service control policy forbids in the account, as IAM
 * simulates it for the role with which CloudFormation deploys. Such a policy binds every role of the
 * account. IAM does not evaluate those with conditions, so an empty list proves nothing.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_testing-policies.html
 */
export async function readForbidden(connection: Connection): Promise<readonly string[]> {
  const { Account: account, Arn: caller } = await new STSClient(connection).send(
    new GetCallerIdentityCommand({}),
  );
  const partition = caller?.split(':')[1];
  if (account === undefined || partition === undefined) throw new Error('STS returned no account');
  const role = `cdk-hnb659fds-cfn-exec-role-${account}-${connection.region}`;
  const simulation = paginateSimulatePrincipalPolicy(
    { client: new IAMClient(connection) },
    {
      PolicySourceArn: `arn:${partition}:iam::${account}:role/${role}`,
      ActionNames: SIGNING_USER_ACTIONS,
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
