import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { InvalidArgumentError, Option } from 'commander';
import { verifyWebhook } from 'soil-batch-client';
import { EXIT, usageError } from '../exit-code.ts';
import type { CommandSpec } from './command-spec.ts';
import type { Session } from './session.ts';

/** The environment variable, because other users of a machine can read arguments. */
const SECRET = 'WEBHOOK_SECRET';

type Headers = Readonly<Record<string, string>>;

export const VERIFY: CommandSpec = {
  usage: 'verify <body>',
  summary: `check the signature of a delivery with the secret in ${SECRET}`,
  parameters: { body: 'file of the raw body; - for the standard input' },
  example:
    "webhook verify body.json -H 'X-Service-Signature: 5d…' -H 'webhook-id: 9b…' -H 'webhook-timestamp: 1…' -H 'webhook-signature: v1,…'",
  options: [
    new Option('-H, --header <header>', 'a header of the delivery; repeat it for each')
      .argParser(withHeader)
      .default({}, 'none'),
    new Option('--any-age', 'accept a delivery that was sent more than 5 minutes ago'),
  ],
  async action(session, command) {
    const { header, anyAge } = command.opts<{ header: Headers; anyAge?: boolean }>();
    const secret = secretOf(session);
    if (secret === undefined) throw usageError(`set the secret of the webhook in ${SECRET}`);
    const body = await readBody(session, command.args[0] ?? '');
    const age = anyAge === true ? { toleranceSeconds: Number.POSITIVE_INFINITY } : {};
    const event = await verifyWebhook(body, header, secret, age);
    session.terminal.report({ event: 'verified', batch_id: event.batch_id }, [
      `Genuine: batch ${event.batch_id} is ${event.status}.`,
    ]);
    return EXIT.complete;
  },
};

export const TEST: CommandSpec = {
  usage: 'test <url>',
  summary: `send a sample delivery to a receiver, signed with the secret in ${SECRET}, if set`,
  parameters: { url: 'URL of the receiver' },
  example: 'webhook test https://example.com/soil',
  options: [],
  async action(session, command) {
    const { client } = await session.connect();
    const { signal, terminal } = session;
    const secret = secretOf(session);
    const tested = await client.testWebhook(
      {
        webhook_url: command.args[0] ?? '',
        ...(secret === undefined ? {} : { webhook_secret: secret }),
      },
      { signal },
    );
    const unsigned = tested.signed ? [] : [`Not signed: ${SECRET} is not set.`];
    const event = { event: 'webhook-tested', ...tested };
    terminal.report(event, [`${tested.outcome}: ${tested.reason}`, ...unsigned]);
    return tested.outcome === 'acknowledged' ? EXIT.complete : EXIT.error;
  },
};

function secretOf({ env }: Session): string | undefined {
  const secret = env[SECRET];
  return secret === '' ? undefined : secret;
}

function withHeader(text: string, headers: Headers): Headers {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { ...headers, [name]: value };
  throw new InvalidArgumentError("Expected 'Name: value'.");
}

async function readBody({ cwd, stdin }: Session, file: string): Promise<Uint8Array> {
  if (file === '-') return buffer(stdin);
  return readFile(path.resolve(cwd, file));
}
