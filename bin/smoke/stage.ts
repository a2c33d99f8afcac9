import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { dynamoApiKeys } from '../../lambdas/adapters/dynamodb/api-keys.ts';
import { addSeconds, timestamp } from '../../lambdas/domain/clock.ts';
import { issueKey } from '../../lambdas/domain/tenant/issue-key.ts';
import { type StageName, stackNames } from '../../lib/stages.ts';
import {
  type Connection,
  connectionTo,
  openStageTable,
  outputsOf,
  requiredOutput,
} from '../operator/stage-table.ts';

/** A deployed stage, as its stacks tell it. */
export interface DeployedStage {
  readonly name: StageName;
  readonly connection: Connection;
  readonly v1Url: string;
  readonly v2Url: string;
  readonly signingSecretArn: string;
  readonly resources: readonly StackResource[];
}

export interface StackResource {
  readonly type: string;
  readonly logicalId: string;
  readonly physicalId: string;
}

/** @throws CommandError */
export async function findStage(name: StageName): Promise<DeployedStage> {
  const connection = await connectionTo(name);
  const { stateful, stateless, observability } = stackNames(name);
  const [kept, made, ...resources] = await Promise.all([
    outputsOf(connection, stateful),
    outputsOf(connection, stateless),
    resourcesOf(connection, stateless),
    resourcesOf(connection, observability),
  ]);
  return {
    name,
    connection,
    v1Url: requiredOutput(made, stateless, 'V1Url').replace(/\/$/, ''),
    v2Url: requiredOutput(made, stateless, 'V2Url').replace(/\/$/, ''),
    signingSecretArn: requiredOutput(kept, stateful, 'SigningSecretArn'),
    resources: resources.flat(),
  };
}

async function resourcesOf(
  connection: Connection,
  StackName: string,
): Promise<readonly StackResource[]> {
  const client = new CloudFormationClient(connection);
  const found: StackResource[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName })) {
    for (const {
      ResourceType,
      LogicalResourceId,
      PhysicalResourceId,
    } of page.StackResourceSummaries ?? []) {
      found.push({
        type: ResourceType ?? '',
        logicalId: LogicalResourceId ?? '',
        physicalId: PhysicalResourceId ?? '',
      });
    }
  }
  return found;
}

/** A key that opens the stage for as long as the smoke test runs. */
export interface SmokeKey {
  readonly text: string;
  readonly from: string;
  end(): Promise<void>;
}

/** It ends by itself too: a smoke test that is killed revokes nothing. */
const KEY_SECONDS = 3_600;

/**
 * The key given, or one of a tenant of its own, made by the operator's access to the table and revoked
 * afterwards. A tenant a run, so that the day's quota is never the reason why a stage looks ill.
 */
export async function obtainKey(stage: StageName, given: string | null): Promise<SmokeKey> {
  if (given !== null) return { text: given, from: 'the key given', end: async () => {} };
  const table = await openStageTable(stage);
  const ports = { keys: dynamoApiKeys(table), clock: table.clock };
  const now = timestamp(table.clock());
  const tenant = `smoke-${Date.parse(now).toString(36)}`;
  const { key, record } = await issueKey(ports, {
    tenant,
    name: 'smoke test',
    expiresAt: addSeconds(now, KEY_SECONDS),
  });
  return {
    text: key,
    from: `a key of tenant ${tenant}, revoked afterwards`,
    end: () => ports.keys.revoke(record.digest, timestamp(table.clock())),
  };
}
