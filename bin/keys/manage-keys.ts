import { addSeconds, type Clock, timestamp } from '../../lambdas/domain/clock.ts';
import { type ApiKeyRecord, type ApiKeys, keyState } from '../../lambdas/domain/tenant/api-key.ts';
import { issueKey, revokeKey, rotateKey } from '../../lambdas/domain/tenant/issue-api-key.ts';
import { CommandError, type Result } from '../operator/command.ts';
import type { KeysCommand } from './keys-command.ts';

interface Ports {
  readonly keys: ApiKeys;
  readonly clock: Clock;
}

export async function runKeys(
  command: Exclude<KeysCommand, { kind: 'help' }>,
  ports: Ports,
): Promise<Result> {
  const now = timestamp(ports.clock());
  switch (command.kind) {
    case 'create': {
      const { tenant, name, expiresAt } = command;
      const { key, record } = await issueKey(ports, { tenant, name, expiresAt });
      const text = `${key}\n\n${record.id} for tenant ${tenant}. ${SAVE_KEY}`;
      return { data: { key, ...toKeyRow(record, now) }, text };
    }
    case 'list': {
      const rows = (await ports.keys.list(command.tenant)).map((record) => toKeyRow(record, now));
      const text = rows.length === 0 ? 'No keys.' : rows.map(formatKeyLine).join('\n');
      return { data: { keys: rows }, text };
    }
    case 'rotate':
      return runRotation(command, ports, now);
    case 'revoke': {
      const record = await revokeKey(ports, command.id);
      if (record === null) throw unknownKeyError(command.id);
      const text = `${record.id} of tenant ${record.tenant} is revoked; effective within 60 s.`;
      return { data: toKeyRow(record, now), text };
    }
  }
}

const SAVE_KEY = 'Save the key now. It is not stored and cannot be printed again.';

async function runRotation(
  { id, overlapSeconds, expiresAt }: Extract<KeysCommand, { kind: 'rotate' }>,
  ports: Ports,
  now: string,
): Promise<Result> {
  const oldEnds = addSeconds(now, overlapSeconds);
  const rotation = await rotateKey(ports, { id, oldEnds, expiresAt });
  switch (rotation.kind) {
    case 'unknown':
      throw unknownKeyError(id);
    case 'over':
      throw new CommandError(`the key ${id} has expired or is revoked; create a new key`);
    case 'rotated': {
      const { key, record, old } = rotation;
      const text = `${key}\n\n${record.id} for tenant ${record.tenant}. ${SAVE_KEY}\n${old.id} stays valid until ${old.expiresAt}.`;
      return { data: { key, ...toKeyRow(record, now), replaces: toKeyRow(old, now) }, text };
    }
  }
}

function unknownKeyError(id: string): CommandError {
  return new CommandError(`no key has the ID ${id}; "list" shows the keys`);
}

function toKeyRow(record: ApiKeyRecord, now: string) {
  return {
    id: record.id,
    tenant: record.tenant,
    name: record.name,
    state: keyState(record, now),
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    revoked_at: record.revokedAt,
  };
}

function formatKeyLine(row: ReturnType<typeof toKeyRow>): string {
  const ends = row.expires_at === null ? '' : `  until ${row.expires_at}`;
  return `${row.id}  ${row.state.padEnd(7)}  ${row.tenant}  ${row.name ?? '-'}  created ${row.created_at}${ends}`;
}
