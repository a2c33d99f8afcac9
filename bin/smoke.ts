import path from 'node:path';
import type { StageName } from '../lib/stages.ts';
import { CommandError, printJson, runCommand } from './operator/command.ts';
import { parseOptions, parseStage } from './operator/command-line.ts';
import { lineOf } from './smoke/check.ts';
import { runSmoke } from './smoke/smoke-test.ts';

const EXAMPLE = path.join(import.meta.dirname, '..', 'examples', 'meuse-batch.json');

const HELP = `Usage: npm run smoke -- [options]

Tests a deployed stage from end to end: creates a batch, waits for it, opens a raster, checks its signed
URL, and calls every GET of V1 and V2. Deploys nothing. Unless a key is given, it creates one and revokes it
afterwards.

Options
  --stage local|dev|prod   the stage (default: local, the service of "npm start")
  --key KEY                an API key of the stage (default: SMOKE_API_KEY, or a new key)
  --receiver URL           a URL that responds to POST with 2xx: its webhook must be acknowledged
  --batch FILE             the body of a batch within the area of the stage's models
                           (default: examples/meuse-batch.json)
  --json                   print JSON
  --help                   print this

Exit code 1: a check failed; 2: the command line is invalid.
dev and prod use the AWS credentials and region of your environment.`;

interface SmokeOptions {
  readonly stage: StageName;
  /** If it is null, the smoke test creates a key and revokes it afterwards. */
  readonly key: string | null;
  readonly receiver: string | null;
  readonly batch: string;
  readonly json: boolean;
}

/** `npm run smoke --` */
async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) return console.log(HELP);
  const log = options.json ? console.error : console.log;
  const report = await runSmoke(options, log, (result) => log(lineOf(result)));
  if (options.json) printJson(report);
  if (report.findings.some(({ verdict }) => verdict === 'failed')) process.exitCode = 1;
}

/** The arguments, or null if the command line asks for `--help`. */
function readOptions(): SmokeOptions | null {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseOptions({
    options: {
      stage: text,
      key: text,
      receiver: text,
      batch: text,
      json: flag,
      help: { ...flag, short: 'h' },
    },
  });
  if (values.help === true) return null;
  const { receiver = null } = values;
  if (receiver !== null && !/^https?:\/\//.test(receiver)) {
    throw new CommandError(`--receiver must be an https URL; got ${receiver}`);
  }
  return {
    stage: parseStage(values.stage),
    key: values.key ?? process.env['SMOKE_API_KEY'] ?? null,
    receiver,
    batch: values.batch ?? EXAMPLE,
    json: values.json === true,
  };
}

await runCommand('smoke', main);
