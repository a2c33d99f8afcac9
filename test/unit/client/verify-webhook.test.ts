import { createHmac } from 'node:crypto';
import { verifyWebhook } from 'soil-batch-client';
import { describe, expect, it } from 'vitest';
import type { Timestamp } from '../../../lambdas/domain/clock.ts';
import { signatureHeaders } from '../../../lambdas/domain/delivery/signature.ts';
import { EVENT } from '../../support/client/responses.ts';

// A body whose bytes change if another program parses and writes it.
const BODY = Buffer.from(
  JSON.stringify({ ...EVENT, metadata: { n: 1 } }).replace('{"n":1}', '{ "n": 1.0 }'),
);
const SENT_AT = '2026-11-22T11:00:00.000Z' as Timestamp;
const NOW = Date.parse(SENT_AT) + 5_000;

function signed(secret: string, body = BODY): Record<string, string> {
  return signatureHeaders({ body, secret, eventId: '3f2a8f0e', sentAt: SENT_AT });
}

const verify = (headers: Record<string, string>, secret: string, body: Buffer = BODY, now = NOW) =>
  verifyWebhook(body, headers, secret, { now });

describe.each(['geheim', 'gehéim ✓', `whsec_${Buffer.alloc(24, 7).toString('base64')}`])(
  'verification with the secret %s',
  (secret) => {
    it('returns the event, whatever types hold the headers and the body', async () => {
      const headers = signed(secret);
      const event = { ...EVENT, metadata: { n: 1 } };
      expect(await verify(headers, secret)).toMatchObject(event);
      const fetched = new Headers(headers);
      expect(await verifyWebhook(BODY.toString(), fetched, secret, { now: NOW })).toMatchObject(
        event,
      );
      const copy = new Uint8Array(BODY).buffer;
      expect(await verifyWebhook(copy, headers, secret, { now: NOW })).toMatchObject(event);
    });

    it.each(Object.keys(signed('x')))('rejects a delivery without %s', async (name) => {
      const { [name]: _, ...others } = signed(secret);
      await expect(verify(others, secret)).rejects.toMatchObject({ type: 'signature' });
    });

    it.each([
      ['another secret', () => verify(signed(secret), `${secret}x`)],
      ['another body', () => verify(signed(secret), secret, Buffer.from(`${BODY} `))],

      [
        'another timestamp',
        () => verify({ ...signed(secret), 'webhook-timestamp': '1795345203' }, secret),
      ],
      [
        'a timestamp that is not a number',
        () => verify({ ...signed(secret), 'webhook-timestamp': 'NaN' }, secret),
      ],
      ['another ID', () => verify({ ...signed(secret), 'webhook-id': 'other' }, secret)],
      [
        'a signature that is not hexadecimal',
        () => verify({ ...signed(secret), 'X-Service-Signature': 'zz' }, secret),
      ],
    ])('rejects %s', async (_, attempt) => {
      await expect(attempt()).rejects.toMatchObject({ name: 'SoilError', type: 'signature' });
    });
  },
);

it('verification accepts one of several signatures, as during a key rotation', async () => {
  const headers = signed('geheim');
  const several = { 'webhook-signature': `v2,AAAA v1,%% v1,AAAA ${headers['webhook-signature']}` };
  expect(await verify({ ...headers, ...several }, 'geheim')).toMatchObject({
    batch_id: EVENT.batch_id,
  });
});

it.each([
  ['an old delivery', NOW + 300_000],
  ['a delivery from the future', NOW - 310_000],
])(
  'verification distinguishes %s, which a wrong clock can cause, from a forged one',
  async (_, now) => {
    const attempt = verify(signed('geheim'), 'geheim', BODY, now);
    await expect(attempt).rejects.toMatchObject({ name: 'SoilError', type: 'timestamp' });
  },
);

it('verification rejects a header that is sent twice', async () => {
  const headers = { ...signed('geheim'), 'webhook-id': ['3f2a8f0e', '3f2a8f0e'] };
  await expect(verifyWebhook(BODY, headers, 'geheim', { now: NOW })).rejects.toThrow(/once/);
});

it('verification rejects a signed body that is not an event', async () => {
  const body = Buffer.from('[]');
  await expect(verify(signed('geheim', body), 'geheim', body)).rejects.toMatchObject({
    type: 'not-the-service',
  });
});

it('verification rejects an empty secret, with which anyone could sign', async () => {
  const signature = createHmac('sha256', '').update(BODY).digest('hex');
  const headers = { ...signed('x'), 'X-Service-Signature': signature };
  await expect(verify(headers, '')).rejects.toMatchObject({ type: 'invalid-input' });
});
