import { setTimeout as pause, setInterval } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SoilClient } from 'soil-batch-client';
import { expect, it } from 'vitest';
import { receiveHttp } from '../../support/delivery/local-receiver.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

it.each([
  ['headers', false],
  ['a body', true],
])(
  'the client does not wait for %s endlessly, even if garbage is collected meanwhile',
  async (_, hasHeaders) => {
    await using server = await receiveHttp(async (_, response) => {
      if (hasHeaders) response.writeHead(200);
      for await (const _ of setInterval(50)) {
        if (response.closed) return;
        if (hasHeaders) response.write(' ');
      }
    });
    const client = new SoilClient({
      ...{ baseUrl: server.origin, apiKey: 'key' },
      ...{ timeoutSeconds: 1, retries: { attempts: 1 } },
    });
    // The caller also passes a signal to which nothing else refers.
    const outcome = client
      .usage({ signal: new AbortController().signal })
      .catch((error: unknown) => error);
    for (let left = 40; left > 0; left--) {
      await pause(50);
      collectGarbage();
    }
    expect(await Promise.race([outcome, pause(3_000, 'still waiting')])).toMatchObject({
      type: 'network',
    });
  },
);
