import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { WEBHOOK_VERIFICATION } from '../../../lambdas/api/specification/reference/webhook-verification.ts';
import { timestamp } from '../../../lambdas/domain/clock.ts';
import { signatureHeaders } from '../../../lambdas/domain/delivery/signature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"batch_id":"b-1","metadata":{"veld":"Één € 1.0"}}';
const HOUR_MS = 3_600_000;

const delivered = (sentAt: Date, body = BODY) => ({
  body,
  headers: signatureHeaders({
    body: Buffer.from(BODY),
    secret: SECRET,
    eventId: '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b77',
    sentAt: timestamp(sentAt),
  }),
});
const GENUINE = delivered(new Date());
const REPLAYED = delivered(new Date(Date.now() - HOUR_MS));
const ALTERED = delivered(new Date(), BODY.replace('b-1', 'b-2'));

const extractCode = (language: string) =>
  [...WEBHOOK_VERIFICATION.join('\n').matchAll(/^```(\w+)\n(.*?)\n```$/gms)]
    .flatMap(([, of, text]) => (of === language ? [text] : []))
    .join('\n\n');

mkdirSync('.local', { recursive: true });
const folder = mkdtempSync(join('.local', 'verification-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Verdict {
  /** The event, if the library verified it. */
  readonly event: unknown;
  /** Whether the plain signature header is genuine. */
  readonly genuine: boolean;
}

async function verifyInTypeScript({ body, headers }: typeof GENUINE): Promise<Verdict> {
  const file = join(folder, 'verification.ts');
  writeFileSync(file, extractCode('ts'));
  const { eventOf, isGenuine } = await import(resolve(file));
  let event: unknown = null;
  try {
    event = eventOf(SECRET, body, headers);
  } catch {
    // Rejected.
  }
  return { event, genuine: isGenuine(SECRET, Buffer.from(body), headers['X-Service-Signature']) };
}

async function verifyInPython({ body, headers }: typeof GENUINE): Promise<Verdict> {
  const call = `
import json, sys
delivery = json.load(sys.stdin)
body, headers = delivery["body"].encode(), delivery["headers"]
try:
    event = event_of(delivery["secret"], body, headers)
except Exception:
    event = None
print(json.dumps({"event": event, "genuine": is_genuine(delivery["secret"], body, headers["X-Service-Signature"])}))`;
  const input = JSON.stringify({ body, headers, secret: SECRET });
  const program = ['-c', `${extractCode('python')}\n${call}`];
  return JSON.parse(execFileSync('.local/venv/bin/python', program, { input }).toString());
}

describe.each([
  ['TypeScript', verifyInTypeScript],
  ['Python', verifyInPython],
] as const)('the reference’s %s code', (_, verdictOn) => {
  it("accepts the service's delivery", async () => {
    expect(await verdictOn(GENUINE)).toEqual({ event: JSON.parse(BODY), genuine: true });
  });

  it('rejects a delivery with another body', async () => {
    expect(await verdictOn(ALTERED)).toEqual({ event: null, genuine: false });
  });

  it('rejects a replayed delivery by its timestamp, which the plain header lacks', async () => {
    expect(await verdictOn(REPLAYED)).toEqual({ event: null, genuine: true });
  });
});
