import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { EVENT_SOURCE, EVENT_TYPE } from '../domain/delivery/batch-finished.ts';
import type { EventBus } from '../domain/delivery/publish-event.ts';
import { TransientFailure } from '../domain/step-failure.ts';

export function eventBridgeBus(client: EventBridgeClient, busArn: string): EventBus {
  return {
    async put(detail, at) {
      const { FailedEntryCount, Entries } = await client.send(
        new PutEventsCommand({
          Entries: [
            {
              EventBusName: busArn,
              Source: EVENT_SOURCE,
              DetailType: EVENT_TYPE,
              Time: new Date(at),
              Detail: JSON.stringify(detail),
            },
          ],
        }),
      );
      // EventBridge responds with 200 even if it did not accept the event.
      if (FailedEntryCount === 0) return;
      throw new TransientFailure(`the bus did not accept the event: ${Entries?.[0]?.ErrorCode}`);
    },
  };
}
