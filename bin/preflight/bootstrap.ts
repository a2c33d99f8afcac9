import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import project from '../../cdk.json' with { type: 'json' };
import type { Connection } from '../operator/stage-table.ts';
import type { Verdict } from './finding.ts';

/** The CDK bootstrap of an account that deploys the service. The names of its roles contain the qualifier. */
export interface Bootstrap {
  readonly qualifier: string;
  readonly stack: string;
}

/**
 * The CDK's default bootstrap, which all CDK applications of an account and region share unless they have their own.
 */
const SHARED: Bootstrap = { qualifier: 'hnb659fds', stack: 'CDKToolkit' };

/** @param context from `cdk.json`, where the CDK reads the qualifier */
export function chooseBootstrap(context: Readonly<Record<string, unknown>>): Bootstrap {
  const qualifier = context['@aws-cdk/core:bootstrapQualifier'];
  if (typeof qualifier !== 'string' || qualifier === SHARED.qualifier) return SHARED;
  // The stack has the name that docs/organisations.md recommends.
  return { qualifier, stack: `${SHARED.stack}-${qualifier}` };
}

export const BOOTSTRAP = chooseBootstrap(project.context);

/** Null if the account is not bootstrapped. */
export async function readBootstrap(connection: Connection): Promise<number | null> {
  const stack = await describeStack(connection, BOOTSTRAP.stack);
  const version = stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion');
  return version?.OutputValue === undefined ? null : Number(version.OutputValue);
}

/** CloudFormation returns a ValidationError for a stack that does not exist. */
export async function describeStack(connection: Connection, StackName: string) {
  const client = new CloudFormationClient(connection);
  try {
    return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}

/** The first version of the bootstrap stack that has the roles which the CDK assumes. */
const BOOTSTRAP_VERSION = 6;

/** The first version that permits `cdk rollback`. https://docs.aws.amazon.com/cdk/v2/guide/ref-cli-cmd-rollback.html */
const ROLLBACK_VERSION = 23;

export function checkBootstrap(version: number | null): Verdict {
  if (version === null) {
    return {
      verdict: 'wrong',
      says: 'this account and region are not bootstrapped; run npm run cdk -- bootstrap',
    };
  }
  if (version < BOOTSTRAP_VERSION) {
    return {
      verdict: 'wrong',
      says: `version ${version} is older than ${BOOTSTRAP_VERSION}; run npm run cdk -- bootstrap`,
    };
  }
  if (version < ROLLBACK_VERSION) {
    return {
      verdict: 'raise',
      says: `version ${version} can deploy, but cdk rollback (needed after a failed rollback) requires ${ROLLBACK_VERSION}; run npm run cdk -- bootstrap`,
    };
  }
  return { verdict: 'fine', says: `version ${version}` };
}
