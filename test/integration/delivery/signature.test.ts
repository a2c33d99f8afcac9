import { execFileSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../lambdas/domain/clock.ts';
import { signatureHeaders } from '../../../lambdas/domain/delivery/signature.ts';

const BODY = Buffer.from('{"batch_id":"b-1","metadata":{"veld":"Één € 1.0"}}', 'utf8');
const EVENT_ID = '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b77';
const SENT_AT = '2026-03-01T12:00:00.750Z';

function headersOf(secret: string | null, sentAt = SENT_AT): Readonly<Record<string, string>> {
  return signatureHeaders({ body: BODY, secret, eventId: EVENT_ID, sentAt });
}

function openssl(key: Buffer, message: Buffer): string {
  const mac = ['-mac', 'HMAC', '-macopt', `hexkey:${key.toString('hex')}`, '-hex', '-r'];
  const digest = execFileSync('openssl', ['dgst', '-sha256', ...mac], { input: message });
  return digest.toString('utf8').slice(0, 64);
}

describe('X-Service-Signature', () => {
  // printf '%s' '<BODY>' | openssl dgst -sha256 -hmac '<secret>'
  it.each([
    [
      'an ASCII secret',
      'correct horse battery staple',
      '02c15f90067fc2a23b7609b2e1a48f9833dead1ca28bb4b1f97ee8305409d4d1',
    ],
    [
      'a secret with non-ASCII letters',
      'gehéim-é-€-🌱',
      '043a8b5c84787c08cac370c1c6547766b67109781ca6d8f07f344822173fb3ef',
    ],
    [
      'a Standard Webhooks secret, taken literally',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      '77d6da24a45d5d0cb3e134d8d4e653678e1c81fae7b553ed352f91fce0c53d1c',
    ],
  ])("equals OpenSSL's recorded output for %s", (_case, secret, known) => {
    expect(headersOf(secret)['X-Service-Signature']).toBe(known);
    expect(openssl(Buffer.from(secret, 'utf8'), BODY)).toBe(known);
  });

  it('is lower-case hexadecimal, and the same for every attempt', () => {
    const first = headersOf('a secret')['X-Service-Signature'];
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(headersOf('a secret', '2026-03-01T12:21:40.000Z')['X-Service-Signature']).toBe(first);
  });

  it('is absent if the client sent no secret', () => {
    expect(Object.keys(headersOf(null)).sort()).toEqual(['webhook-id', 'webhook-timestamp']);
  });
});

describe('the Standard Webhooks headers', () => {
  const now = timestamp(new Date());

  it('are accepted by the library of Standard Webhooks with a whsec_ secret', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const verified = new Webhook(secret).verify(BODY, { ...headersOf(secret, now) });
    expect(verified).toEqual(JSON.parse(BODY.toString('utf8')));
  });

  it.each(['plain secret', 'whsec_not base64!', 'whsec_abc', 'gehéim'])(
    'are accepted with the bytes of any other secret: %j',
    (secret) => {
      const verifier = new Webhook(new Uint8Array(Buffer.from(secret, 'utf8')), { format: 'raw' });
      expect(() => verifier.verify(BODY, { ...headersOf(secret, now) })).not.toThrow();
    },
  );

  it('are rejected by the library if a byte of the body differs', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const other = Buffer.from(BODY.toString('utf8').replace('b-1', 'b-2'), 'utf8');
    expect(() => new Webhook(secret).verify(other, { ...headersOf(secret, now) })).toThrow();
  });

  it('contain the signed ID and the time in seconds', () => {
    const headers = headersOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    expect(headers['webhook-id']).toBe(EVENT_ID);
    expect(headers['webhook-timestamp']).toBe('1772366400');
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const signed = Buffer.concat([Buffer.from(`${EVENT_ID}.1772366400.`), BODY]);
    const base64 = Buffer.from(openssl(key, signed), 'hex').toString('base64');
    expect(headers['webhook-signature']).toBe(`v1,${base64}`);
  });
});
