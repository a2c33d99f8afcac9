import { listStackNames, type StageName } from '../../lib/stages.ts';
import type { Connection } from '../operator/stage-table.ts';
import { describeStack } from './bootstrap.ts';

/** Undefined for a stack that does not exist. */
export function readStatuses(
  connection: Connection,
  stage: StageName,
): Promise<readonly (string | undefined)[]> {
  const names = Object.values(listStackNames(stage));
  return Promise.all(
    names.map(async (name) => (await describeStack(connection, name))?.StackStatus),
  );
}

/**
 * Statuses of a stack that was not created completely or is being deleted. The CDK deletes a failed stack before it
 * creates another.
 */
const NOT_CREATED = /^(REVIEW|CREATE_IN_PROGRESS|CREATE_FAILED|ROLLBACK|DELETE)/;

/**
 * Whether any stack is missing, incomplete or being deleted. Until all stacks exist, none is protected from deletion:
 * CloudFormation could not roll back the creation of a protected table, and the CDK could not delete a protected stack
 * whose creation failed.
 */
export function isFirstDeployment(statuses: readonly (string | undefined)[]): boolean {
  return statuses.some((status) => status === undefined || NOT_CREATED.test(status));
}
