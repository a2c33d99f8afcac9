import { describe, expect, inject, it } from 'vitest';
import { httpClient } from '../support/api/http-client.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { readLogLines } from '../support/deployed/log-lines.ts';
import { createOperator } from '../support/deployed/operator.ts';

const service = inject('service');
const makeBadKey = (n: number) => `soc_${String(n).padStart(43, 'b')}`;
const requestStatus = async (key: string) =>
  (await httpClient(service.v2_url, key)('/v1/usage')).status;

const countFaults = async (since: Date) =>
  (await readLogLines(service, since)).filter(({ fields }) => fields?.['event'] === 'authorizer');

describe('requests with bad keys', () => {
  it('are rejected, and none counts as a fault of the authorizer', async () => {
    const since = new Date();
    for (let n = 0; n < 20; n++) expect(await requestStatus(makeBadKey(n))).toBe(401);
    expect(await countFaults(since)).toEqual([]);
  });

  it('get 500, with one log line, while the authorizer may not read the table', async () => {
    const since = new Date();
    await using _forbidden = await createOperator(service).forbid('ApiAuthorizer', ['dynamodb:*']);
    expect(await requestStatus(makeBadKey(100))).toBe(500);
    const faults = await eventually(
      () => countFaults(since),
      (found) => found.length > 0,
      { everyMs: 500 },
    );
    expect(faults).toHaveLength(1);
  });
});
