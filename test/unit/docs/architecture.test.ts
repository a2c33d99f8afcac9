import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as keys from '../../../lambdas/adapters/dynamodb/item-keys.ts';
import { foldersIn } from '../architecture/folders.ts';

const page = readFileSync('docs/architecture.md', 'utf8');

/** First cells of the rows that begin with code, of the table under a heading. */
const rowsUnder = (heading: string) => {
  const section = page.slice(page.indexOf(`## ${heading}`)).split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` +\| (?:`([^`]+)`)?/gm)];
};

const LAYERED = ['engine', 'lambdas'];

describe('the page about the code', () => {
  it('names every folder', () => {
    const folders = [
      ...foldersIn('.').filter((name) => !LAYERED.includes(name)),
      ...LAYERED.flatMap((folder) => foldersIn(folder).map((name) => `${folder}/${name}`)),
    ];
    expect(
      rowsUnder('Folders')
        .map(([, name]) => name)
        .sort(),
    ).toEqual(folders.sort());
  });

  it('lists the items of the table by their keys', () => {
    const [batch, tenant, event] = ['<batch>', '<tenant>', '<event>'];
    const made = [
      keys.batchKey(batch),
      keys.metadataKey(batch),
      keys.retryKey(batch),
      keys.jobKey(batch, 0),
      keys.outboxKey(batch, event),
      keys.deliveryKey(batch, event, 1),
      keys.planKey(batch, 0),
      keys.patchBatchKey(batch, 0, 0),
      keys.tenantKey(tenant),
      keys.apiKeyKey('<sha256>'),
      keys.quotaKey(tenant, '<day>'),
      keys.idempotencyKey(tenant, '<key>'),
      keys.tenantSlotKey(tenant, 0),
      keys.webhookTestKey(tenant, '<minute>'),
      keys.requestPaceKey(tenant),
      keys.slotKey(0),
      keys.waitingTenantKey(tenant),
      keys.lastServedKey,
      keys.recentTimesKey,
      keys.queuedBatchKey(tenant, batch),
      keys.scanPositionKey('<name>'),
    ];
    const written = made.map(({ pk, sk }) => `${pk} ${sk}`.replaceAll('000000', '<index>'));
    const listed = rowsUnder('State').map(([, pk, sk]) => `${pk} ${sk}`);
    expect(listed.sort()).toEqual(written.sort());
    const named = Object.keys(keys).filter((name) => name.endsWith('Key'));
    expect(made).toHaveLength(named.length);
  });
});
