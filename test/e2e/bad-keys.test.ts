import {
  CloudWatchLogsClient,
  DescribeMetricFiltersCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { httpClient } from '../support/api/http-client.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { readLogLines } from '../support/deployed/log-lines.ts';
import { operatorOf } from '../support/deployed/operator.ts';
import { type FilterPattern, filterPattern } from '../support/filter-pattern.ts';

// The emulator stores metric filters but does not apply them, so the test applies the deployed filter to
// the log lines of the deployed authorizer.

const service = inject('service');
const badKey = (n: number) => `soc_${String(n).padStart(43, 'b')}`;
const statusWith = async (key: string) =>
  (await httpClient(service.v2_url, key)('/v1/usage')).status;

let group: string;
let isFault: FilterPattern;

beforeAll(async () => {
  const { endpoint_url: endpointUrl, region } = service;
  const logs = new CloudWatchLogsClient(clientConfiguration({ endpointUrl, region }));
  const { metricFilters: [filter] = [] } = await logs.send(new DescribeMetricFiltersCommand({}));
  group = filter?.logGroupName ?? '';
  isFault = filterPattern(filter?.filterPattern ?? '');
});

const linesSince = async (since: Date) =>
  (await readLogLines(service, since))
    .filter((line) => line.group === group)
    .map(({ text }) => text);

describe('requests with bad keys', () => {
  it('are rejected, and none counts as a fault of the authorizer', async () => {
    const since = new Date();
    for (let n = 0; n < 20; n++) expect(await statusWith(badKey(n))).toBe(401);
    expect((await linesSince(since)).filter(isFault)).toEqual([]);
  });

  it('count as one fault each while the authorizer may not read the table', async () => {
    const since = new Date();
    await using _forbidden = await operatorOf(service).forbid('ApiAuthorizer', ['dynamodb:*']);
    expect(await statusWith(badKey(100))).toBe(500);
    const lines = await eventually(
      () => linesSince(since),
      (found) => found.some(isFault),
      { everyMs: 500 },
    );
    expect(lines.filter(isFault)).toHaveLength(1);
  });
});
