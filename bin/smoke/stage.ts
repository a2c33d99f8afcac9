import { dynamoApiKeys } from '../../lambdas/adapters/dynamodb/api-keys.ts';
import { addSeconds, timestamp } from '../../lambdas/domain/clock.ts';
import { issueKey } from '../../lambdas/domain/tenant/issue-api-key.ts';
import { type StageName, stackNames } from '../../lib/stages.ts';
import { resourcesOf, type StackResource } from '../operator/stack-resources.ts';
import {
  type Connection,
  connectionTo,
  openStageTable,
  outputsOf,
  requiredOutput,
} from '../operator/stage-table.ts';

/** A deployed stage: outputs and resources of its stacks. */
export interface DeployedStage {
  readonly name: StageName;
  readonly connection: Connection;
  readonly v1Url: string;
  readonly v2Url: string;
  readonly signingSecretArn: string;
  readonly stateMachineArn: string;
  readonly resources: readonly StackResource[];
}

/** @throws CommandError */
export async function findStage(name: StageName): Promise<DeployedStage> {
  const connection = await connectionTo(name);
  const { stateful, stateless, observability } = stackNames(name);
  const [statefulOutputs, statelessOutputs, ...resources] = await Promise.all([
    outputsOf(connection, stateful),
    outputsOf(connection, stateless),
    resourcesOf(connection, stateless),
    resourcesOf(connection, observability),
  ]);
  return {
    name,
    connection,
    v1Url: requiredOutput(statelessOutputs, stateless, 'V1Url').replace(/\/$/, ''),
    v2Url: requiredOutput(statelessOutputs, stateless, 'V2Url').replace(/\/$/, ''),
    stateMachineArn: requiredOutput(statelessOutputs, stateless, 'StateMachineArn'),
    signingSecretArn: requiredOutput(statefulOutputs, stateful, 'SigningSecretArn'),
    resources: resources.flat(),
  };
}

/** The API key of the smoke test. */
export interface SmokeKey {
  readonly text: string;
  readonly from: string;
  revoke(): Promise<void>;
}

/** The key expires, because a smoke test that is killed does not revoke it. */
const KEY_SECONDS = 3_600;

/**
 * The given key, or a new one. Each run uses a new tenant, so that no check fails because of a used-up
 * daily quota.
 */
export async function obtainKey(stage: StageName, given: string | null): Promise<SmokeKey> {
  if (given !== null) return { text: given, from: 'the given key', revoke: async () => {} };
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
    revoke: () => ports.keys.revoke(record.digest, timestamp(table.clock())),
  };
}
