import type { StageName } from '../../lib/stages.ts';
import { parseOptions, stageOf } from '../operator/arguments.ts';
import { CommandError } from '../operator/command-error.ts';
import { EXAMPLE } from './order.ts';

export interface SmokeCommand {
  readonly stage: StageName;
  /** Null: one is made, and revoked afterwards. */
  readonly key: string | null;
  readonly receiver: string | null;
  /** File of the batch to run. */
  readonly batch: string;
  readonly rotate: boolean;
  readonly notify: boolean;
  readonly json: boolean;
}

export const HELP = `Usage: npm run smoke -- [options]

Looks at a deployed stage from end to end and says what it saw; deploys nothing. It runs a handful of
small batches and, unless a key is given, makes one for itself and revokes it.

Options
  --stage local|dev|prod   the deployment (default: local, the service of "npm start")
  --key KEY                an API key of the stage (default: SMOKE_API_KEY, or one is made)
  --receiver URL           an https address that answers POST with 2xx, for the webhooks (default: the
                           stage's own health page, which refuses them with 405)
  --batch FILE             a creation's body that the stage's models cover
                           (default: examples/meuse-batch.json)
  --rotate                 rotate the key that signs results, too: takes minutes
  --notify                 set an alarm off for a moment, too: whoever it calls is called
  --json                   print JSON
  --help                   print this

Exit code 1: something is wrong; 2: so is the command line.
dev and prod use the AWS credentials and region of your environment.`;

/** @returns null when help is asked for @throws CommandError */
export function readArguments(
  args: readonly string[],
  environment: Readonly<Partial<Record<string, string>>>,
): SmokeCommand | null {
  const values = parse(args);
  if (values.help === true) return null;
  return {
    stage: stageOf(values.stage),
    key: values.key ?? environment['SMOKE_API_KEY'] ?? null,
    receiver: values.receiver === undefined ? null : receiverOf(values.receiver),
    batch: values.batch ?? EXAMPLE,
    rotate: values.rotate === true,
    notify: values.notify === true,
    json: values.json === true,
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  return parseOptions({
    args: [...args],
    options: {
      stage: text,
      key: text,
      receiver: text,
      batch: text,
      rotate: flag,
      notify: flag,
      json: flag,
      help: { ...flag, short: 'h' },
    },
  }).values;
}

function receiverOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new CommandError(`--receiver must be an https address; got ${text}`);
}
