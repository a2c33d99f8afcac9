import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { operatorCommand } from './operator-command.ts';

const service = inject('service');

const report = z.object({
  stage: z.literal('local'),
  v2_url: z.literal(service.v2_url),
  findings: z.array(z.object({ check: z.string(), verdict: z.string(), seen: z.string() })),
});

/** Other tests of the run cause alarms. */
beforeAll(async () => {
  const client = new CloudWatchClient(
    clientConfiguration({ endpointUrl: service.endpoint_url, region: service.region }),
  );
  const on = await client.send(new DescribeAlarmsCommand({ StateValue: 'ALARM' }));
  for (const { AlarmName } of on.MetricAlarms ?? []) {
    const state = { AlarmName, StateValue: 'OK', StateReason: 'seen' } as const;
    await client.send(new SetAlarmStateCommand(state));
  }
});

describe('`npm run smoke`', () => {
  it('passes on a stage that works, and skips what the emulator cannot show', async () => {
    const { stdout } = await operatorCommand('smoke');
    const { findings } = report.parse(JSON.parse(stdout));
    const which = (verdict: string) =>
      findings.filter((found) => found.verdict === verdict).map(({ check }) => check);
    expect(findings.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(which('skipped')).toEqual([
      'API key at a result URL rejected',
      'multipart upload under KMS',
      'overhead of a distributed map',
      'batch of 1 MB',
      'gzip of long responses',
      'recipients of alarms',
      'data of the quota alarms',
      'alarm notification',
      'events of child executions',
      'rotation of the signing key',
    ]);
    for (const { check, seen } of findings.filter(({ verdict }) => verdict === 'skipped')) {
      expect(seen, check).toContain('emulator');
    }
    expect(which('passed')).toHaveLength(25);
    const large = findings.find(({ check }) => check === 'raster over 10 MiB')?.seen ?? '';
    expect(large).toMatch(
      /^2048 × 1024 × 5 cells, EPSG:32710, .*; 262144 predicted cells in the middle tile, 262144 in the last$/,
    );
  });

  it('exits with 1 and reports the status if the key is unknown', async () => {
    const { code, stdout } = await operatorCommand('smoke', '--key', 'sk_of_nobody');
    expect(code).toBe(1);
    const { findings } = report.parse(JSON.parse(stdout));
    const batch = findings.find(({ check }) => check === 'V2: batch');
    expect(batch).toMatchObject({ verdict: 'failed', seen: expect.stringContaining('401') });
  });
});
