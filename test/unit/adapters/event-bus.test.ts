import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { describe, expect, it } from 'vitest';
import { eventBridgeBus } from '../../../lambdas/adapters/event-bus.ts';
import type { BatchFinished } from '../../../lambdas/domain/delivery/batch-finished.ts';

const BUS = 'arn:aws:events:eu-central-1:111122223333:event-bus/soil';
const AT = '2026-03-01T10:00:00.000Z';
const DETAIL: BatchFinished = {
  event_id: '0197a1f0-0000-5000-8000-000000000000',
  tenant: 'farm',
  batch_id: '0197a1f0-0000-7000-8000-000000000000',
  name: null,
  status: 'completed',
  total_jobs: 1,
  completed_jobs: 1,
  failed_jobs: 0,
  created_at: AT,
  completed_at: AT,
  results_expire_at: AT,
  retry_of: null,
};

function makeClient(response: object) {
  const client = new EventBridgeClient({ region: 'eu-central-1' });
  const sent: object[] = [];
  client.middlewareStack.add(() => async ({ input }) => {
    sent.push(input);
    return { output: { $metadata: {}, ...response }, response: {} };
  });
  return { client, sent };
}

describe('the EventBridge bus', () => {
  it('receives an event with the source and type that rules match', async () => {
    const { client, sent } = makeClient({ FailedEntryCount: 0, Entries: [{ EventId: '1' }] });
    await eventBridgeBus(client, BUS).put(DETAIL, AT);
    const entry = {
      EventBusName: BUS,
      Source: 'soil-batch',
      DetailType: 'batch.finished',
      Time: new Date(AT),
      Detail: JSON.stringify(DETAIL),
    };
    expect(sent).toEqual([{ Entries: [entry] }]);
  });

  it('throws if EventBridge rejects the event in a successful response', async () => {
    const Entries = [{ ErrorCode: 'ThrottlingException' }];
    const { client } = makeClient({ FailedEntryCount: 1, Entries });
    await expect(eventBridgeBus(client, BUS).put(DETAIL, AT)).rejects.toThrow(/Throttling/);
  });
});
