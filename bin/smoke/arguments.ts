import type { StageName } from '../../lib/stages.ts';
import { parseOptions, stageOf } from '../operator/arguments.ts';
import { CommandError } from '../operator/command.ts';
import { EXAMPLE } from './batch-request.ts';

export interface SmokeCommand {
  readonly stage: StageName;
  /** Null: the smoke test creates one and revokes it afterwards. */
  readonly key: string | null;
  readonly receiver: string | null;
  /** File with the body of the batch to create. */
  readonly batch: string;
  readonly rotate: boolean;
  readonly notify: boolean;
  readonly json: boolean;
}

export const HELP = `Usage: npm run smoke -- [options]

Tests a deployed stage from end to end. Deploys nothing. Runs a few small batches and, unless a key is
given, creates one and revokes it afterwards.

Options
  --stage local|dev|prod   the stage (default: local, the service of "npm start")
  --key KEY                an API key of the stage (default: SMOKE_API_KEY, or a new key)
  --receiver URL           an https URL that responds to POST with 2xx, for the webhooks (default: the
                           stage's health page, which responds with 405)
  --batch FILE             the body of a batch within the area of the stage's models
                           (default: examples/meuse-batch.json)
  --rotate                 in prod too, rotate the key that signs result URLs: takes minutes
  --notify                 in prod too, set an alarm to ALARM for a moment: its recipients are notified
  --json                   print JSON
  --help                   print this

Exit code 1: a check failed; 2: the command line is invalid.
dev and prod use the AWS credentials and region of your environment.`;

/** @returns null for `--help` @throws CommandError */
export function readArguments(
  args: readonly string[],
  environment: Readonly<Partial<Record<string, string>>>,
): SmokeCommand | null {
  const values = parse(args);
  if (values.help === true) return null;
  const stage = stageOf(values.stage);
  return {
    stage,
    key: values.key ?? environment['SMOKE_API_KEY'] ?? null,
    receiver: values.receiver === undefined ? null : receiverOf(values.receiver),
    batch: values.batch ?? EXAMPLE,
    rotate: values.rotate === true || stage !== 'prod',
    notify: values.notify === true || stage !== 'prod',
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
  throw new CommandError(`--receiver must be an https URL; got ${text}`);
}
