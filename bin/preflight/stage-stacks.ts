import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type StageName, stackNames } from '../../lib/stages.ts';
import { resourcesOf, type StackResource } from '../operator/stack-resources.ts';
import type { Connection } from '../operator/stage-table.ts';
import type { Verdict } from './finding.ts';

/** Status of the stage's existing stacks, by name. */
export type StackStates = Readonly<Record<string, string>>;

export async function readStacks(connection: Connection, stage: StageName): Promise<StackStates> {
  const found = await Promise.all(
    Object.values(stackNames(stage)).map(async (name) => {
      const status = (await describe(connection, name))?.StackStatus;
      return status === undefined ? [] : [[name, status] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

/** What the stage's existing stacks have made. */
export async function readResources(
  connection: Connection,
  states: StackStates,
): Promise<readonly StackResource[]> {
  const stacks = Object.keys(states);
  return (await Promise.all(stacks.map((stack) => resourcesOf(connection, stack)))).flat();
}

/** CloudFormation returns a ValidationError for a stack that does not exist. */
export async function describe(connection: Connection, StackName: string) {
  const client = new CloudFormationClient(connection);
  try {
    return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}

export function checkStacks(stacks: StackStates): Verdict {
  const states = Object.entries(stacks);
  const stuck = states.filter(
    ([, status]) => !/^(CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT)_COMPLETE$/.test(status),
  );
  const list = (some: typeof states) => some.map(([name, at]) => `${name} ${at}`).join(', ');
  if (stuck.length > 0) {
    return { verdict: 'wrong', says: `${list(stuck)}: docs/aws.md, "When a deployment fails"` };
  }
  return { verdict: 'fine', says: states.length === 0 ? 'first deployment' : list(states) };
}
