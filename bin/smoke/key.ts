import { dynamoApiKeys } from '../../lambdas/adapters/dynamodb/api-keys.ts';
import { addSeconds, timestamp } from '../../lambdas/domain/clock.ts';
import { issueKey } from '../../lambdas/domain/tenant/issue-api-key.ts';
import type { StageName } from '../../lib/stages.ts';
import { openStageTable } from '../operator/stage-table.ts';

interface SmokeKey {
  readonly text: string;
  readonly from: string;
  revoke(): Promise<void>;
}

/** The key expires, because a smoke test that is killed does not revoke it. */
const KEY_SECONDS = 3_600;

/** Returns the given key, or a new key of a new tenant, so that no check fails because of a used-up daily quota. */
export async function obtainKey({
  stage,
  key: given,
}: {
  readonly stage: StageName;
  readonly key: string | null;
}): Promise<SmokeKey> {
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
