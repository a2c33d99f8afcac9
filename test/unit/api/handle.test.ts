import { describe, expect, it } from 'vitest';
import { uncached } from '../../../lambdas/api/http/response.ts';
import { routeNamed } from '../../../lambdas/api/routes.ts';
import { problemBody } from '../../../lambdas/api/specification/documented-problems.ts';
import { handle } from '../../../local/dev/handle.ts';
import { gatewayEvent, REQUEST_ID } from '../../support/api/gateway-event.ts';
import { creationBody, inMemoryService, statusCall } from '../../support/api/service.ts';

describe('an operation that throws', () => {
  const failing = (log: string[]) =>
    handle(
      routeNamed('usage'),
      () => async () => {
        throw new Error('table soil-batch is gone');
      },
      (level, event, members) => log.push(JSON.stringify({ level, event, ...members })),
    );

  it('returns a problem with the request ID and no internal details', async () => {
    const result = await failing([])(gatewayEvent());
    expect(result.statusCode).toBe(500);
    expect(result.body).not.toContain('soil-batch');
    expect(problemBody.parse(JSON.parse(result.body)).request_id).toBe(REQUEST_ID);
    expect(result.headers?.['X-Request-Id']).toBe(REQUEST_ID);
  });

  it('logs the error', async () => {
    const log: string[] = [];
    await failing(log)(gatewayEvent());
    expect(JSON.parse(log[0] ?? '')).toMatchObject({
      level: 'error',
      event: 'usage',
      status: 500,
      fault: { message: 'table soil-batch is gone' },
    });
  });

  it('returns 500 even if the error occurs while it is built', async () => {
    const handler = handle(
      routeNamed('usage'),
      () => {
        throw new Error('environment');
      },
      () => {},
    );
    expect((await handler(gatewayEvent())).statusCode).toBe(500);
  });
});

describe('the log line of a request', () => {
  it('has tenant, batch and status, but no secret, URL, polygon or key', async () => {
    const service = inMemoryService();
    await service.create({
      body: creationBody({ webhook_url: 'https://r.example/x?t=1', webhook_secret: 'hush hush' }),
      headers: { Authorization: 'Bearer soc_key' },
    });
    expect(service.log).toHaveLength(1);
    const [line = ''] = service.log;
    expect(line).not.toMatch(/hush|r\.example|coordinates|soc_|\n/);
    expect(JSON.parse(line)).toMatchObject({ tenant: 'alpha', status: 202, method: 'POST' });
    expect([JSON.parse(line).batch_id]).toEqual(await service.batchIds());
  });

  it('omits an invalid batch_id, which could be a key in the wrong place', async () => {
    const service = inMemoryService();
    await service.batchStatus(statusCall('soc_secret'));
    expect(service.log.join()).not.toContain('soc_secret');
  });
});

describe('a HEAD request', () => {
  it('gets the status without the body', async () => {
    const handler = handle(
      routeNamed('usage'),
      () => async () => uncached(200, { a: 1 }),
      () => {},
    );
    const result = await handler(gatewayEvent({ method: 'HEAD' }));
    expect(result).toMatchObject({ statusCode: 200, body: '' });
  });
});
