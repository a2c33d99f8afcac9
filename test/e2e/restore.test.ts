import { randomUUID } from 'node:crypto';
import {
  DeleteTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, inject, it } from 'vitest';
import { digestOf } from '../../lambdas/domain/tenant/api-key.ts';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { httpClient } from '../support/api/http-client.ts';
import { openDeployedTable } from '../support/deployed/deployed-table.ts';
import { printedBy } from './operator-command.ts';

// The procedure of docs/aws.md, "Backup and restore". The emulator restores only the current state.

const service = inject('service');

const statusWith = async (key: string) =>
  (await httpClient(service.v2_url, key)('/v1/batch/01890000-0000-7000-8000-000000000000/status'))
    .status;

describe('a restore of the table', () => {
  it('reports a table that does not exist', async () => {
    const nowhere = printedBy('restore', 'keys', '--from', 'SoilBatch-nowhere');
    await expect(nowhere).rejects.toThrow(/restore: --from: .*SoilBatch-nowhere/);
  });

  it('restores lost keys, but not keys that were revoked since', async () => {
    const table = await openDeployedTable(service);
    const dynamo = new DynamoDBClient(
      clientConfiguration({ endpointUrl: service.endpoint_url, region: service.region }),
    );
    const [lost, revoked] = [
      await printedBy('keys', 'create', '--tenant', 'restored'),
      await printedBy('keys', 'create', '--tenant', 'restored'),
    ];
    // The slot of a batch that ran at that time: nothing would ever free it.
    const slot = { pk: 'TENANT#restored', sk: 'SLOT#000000' };
    const held = { ...slot, batch_id: randomUUID(), slot: 0 };
    await table.client.send(new PutCommand({ TableName: table.name, Item: held }));
    const restored = `SoilBatch-restored-${randomUUID()}`;
    await dynamo.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: table.name,
        TargetTableName: restored,
        UseLatestRestorableTime: true,
      }),
    );
    try {
      await printedBy('keys', 'revoke', '--id', revoked.id);
      const Key = { pk: `KEY#${digestOf(lost.key)}`, sk: 'KEY' };
      for (const lostKey of [Key, slot]) {
        await table.client.send(new DeleteCommand({ TableName: table.name, Key: lostKey }));
      }

      const first = await printedBy('restore', 'keys', '--from', restored);
      expect(first.copied).toBe(1);
      expect(first.present).toBeGreaterThan(0);
      expect(await printedBy('restore', 'everything', '--from', restored)).toMatchObject({
        copied: 0,
      });
      const left = await table.client.send(new GetCommand({ TableName: table.name, Key: slot }));
      expect(left.Item).toBeUndefined();
      expect(await statusWith(lost.key)).toBe(404);
      expect(await statusWith(revoked.key)).toBe(401);
    } finally {
      await dynamo.send(new DeleteTableCommand({ TableName: restored }));
      dynamo.destroy();
    }
  });
});
