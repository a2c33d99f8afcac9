import path from 'node:path';
import { CommandError, printJson, runCommand } from './operator/command.ts';
import { parseOptions, parseStage } from './operator/command-line.ts';
import { formatResult } from './smoke/check.ts';
import { runSmoke, type SmokeTarget } from './smoke/smoke-test.ts';

const EXAMPLE = path.join(import.meta.dirname, '..', 'examples', 'meuse-batch.json');

const HELP = `Usage: npm run smoke -- [options]

Tests a deployed stage from end to end: runs the example batch, checks its progress and metadata, opens a
raster, checks its signed URL, and calls every GET of V1 and V2. Deploys nothing. Unless a key is given,
creates a key and revokes it afterwards.

Options
  --stage local|dev|prod   the stage (default: local, the service of "npm start")
  --url URL                one deployment, V1 or V2, instead of a stage; needs a key and no AWS credentials
  --key KEY                an API key of the stage (default: SMOKE_API_KEY, or a new key)
  --receiver URL           a URL that must acknowledge the batch's webhook with 2xx
  --batch FILE             the body of a batch within the area of the stage's models
                           (default: examples/meuse-batch.json)
  --json                   print JSON
  --help                   print this

Exit code 1: a check failed; 2: the command line is invalid.
dev and prod use the AWS credentials and region of your environment.`;

interface SmokeOptions extends SmokeTarget {
  readonly receiver: string | null;
  readonly batch: string;
  readonly json: boolean;
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) return console.log(HELP);
  const log = options.json ? console.error : console.log;
  const report = await runSmoke(options, log, (result) => log(formatResult(result)));
  if (options.json) printJson(report);
  if (report.findings.some(({ verdict }) => verdict === 'failed')) process.exitCode = 1;
}

function readOptions(): SmokeOptions | null {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseOptions({
    options: {
      stage: text,
      url: text,
      key: text,
      receiver: text,
      batch: text,
      json: flag,
      help: { ...flag, short: 'h' },
    },
  });
  if (values.help === true) return null;
  const { receiver = null, url = null } = values;
  for (const [option, address] of Object.entries({ receiver, url })) {
    if (address !== null && !/^https?:\/\//.test(address)) {
      throw new CommandError(`--${option} must be an http or https URL; got ${address}`);
    }
  }
  const key = values.key ?? process.env['SMOKE_API_KEY'] ?? null;
  if (url !== null && key === null) throw new CommandError('--url needs --key or SMOKE_API_KEY');
  return {
    stage: parseStage(values.stage),
    url: url?.replace(/\/$/, '') ?? null,
    key,
    receiver,
    batch: values.batch ?? EXAMPLE,
    json: values.json === true,
  };
}

await runCommand('smoke', main);
