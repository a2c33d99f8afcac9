import { Command, CommanderError } from 'commander';
import { SoilError } from 'soil-batch-client';
import { CliError, EXIT, type ExitCode } from '../exit-code.ts';
import { FieldsError } from '../fields/fields-error.ts';
import { printable } from '../terminal/printable.ts';
import { type Output, terminalOf } from '../terminal/terminal.ts';
import { CANCEL, LIST, STATUS } from './batches.ts';
import type { CommandSpec } from './command-spec.ts';
import { MODELS } from './models.ts';
import { type CommonOptions, connect, type Host } from './session.ts';
import { DOWNLOAD, ESTIMATE, REPORT, RETRY, RUN, SUBMIT, WATCH } from './steps.ts';
import { cliVersion } from './version.ts';
import { TEST, VERIFY } from './webhook.ts';

export const COMMANDS: readonly CommandSpec[] = [
  RUN,
  ESTIMATE,
  SUBMIT,
  WATCH,
  DOWNLOAD,
  RETRY,
  REPORT,
  STATUS,
  LIST,
  CANCEL,
  MODELS,
];

export const WEBHOOK_COMMANDS: readonly CommandSpec[] = [VERIFY, TEST];

const PROGRAM = 'soil-batch';

const ENVIRONMENT = `
The service and the key come from SOIL_BASE_URL and SOIL_API_KEY (or V2_URL and API_KEY), else from
~/.config/soil-batch/config.json: {"base_url": "https://…", "api_key": "…"}, of mode 600.

Exit codes: 0 complete, 1 error, 2 wrong command line or configuration, 3 some jobs failed,
4 today's quota is used up: the same command continues tomorrow.`;

/** Runs a command line, and prints its failure as one sentence. */
export async function runCli(args: readonly string[], host: Host): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.complete;
  const program = programOf(host, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // The usage or the error is printed already.
      return error.exitCode === 0 ? EXIT.complete : EXIT.usage;
    }
    const failure = failureOf(error, host.signal);
    const terminal = terminalOf(host, args.includes('--json') ? 'json' : 'lines');
    terminal.fail(failure);
    if (host.env['DEBUG'] !== undefined) host.stderr.write(`${debugText(error)}\n`);
    return failure.exitCode;
  }
}

/** The command line of the CLI, also for its reference. */
function programOf(host: Host, onExit: (code: ExitCode) => void): Command {
  const program = withOutput(new Command(PROGRAM), host)
    .description('Soil maps for a file of fields.')
    .version(cliVersion(), '--version', 'print the version of the CLI')
    .addHelpText('after', ENVIRONMENT);
  for (const spec of COMMANDS) program.addCommand(commandOf(spec, host, onExit));
  const webhook = withOutput(new Command('webhook'), host).description('check webhook receivers');
  for (const spec of WEBHOOK_COMMANDS) webhook.addCommand(commandOf(spec, host, onExit));
  return program.addCommand(webhook);
}

function commandOf(spec: CommandSpec, host: Host, onExit: (code: ExitCode) => void): Command {
  const [name = ''] = spec.usage.split(' ');
  const command = withOutput(new Command(name), host).description(spec.summary);
  for (const [parameter, meaning] of Object.entries(spec.parameters)) {
    command.argument(`<${parameter}>`, meaning);
  }
  for (const option of spec.options) command.addOption(option);
  command
    .option('--base-url <url>', 'the service, instead of the configured one')
    .option('--json', 'print one JSON object per line, for programs');
  command.addHelpText('after', `\nExample:\n  ${PROGRAM} ${spec.example}`);
  return command.action(async () => {
    const options = command.opts<CommonOptions>();
    const terminal = terminalOf(host, outputOf(options));
    const session = {
      ...host,
      terminal,
      told: new Set<string>(),
      connect: () => connect(host, terminal, options),
    };
    onExit(await spec.action(session, command));
  });
}

function outputOf({ json, quiet }: CommonOptions): Output {
  if (json === true) return 'json';
  return quiet === true ? 'quiet' : 'lines';
}

/** Errors as exceptions, and nothing on the terminal that could control it. */
function withOutput(command: Command, { stdout, stderr }: Host): Command {
  const lines = (text: string) => text.split('\n').map(printable).join('\n');
  return command
    .exitOverride()
    .showHelpAfterError('Add --help for the options and an example.')
    .configureOutput({
      writeOut: (text) => void stdout.write(lines(text)),
      writeErr: (text) => void stderr.write(lines(text)),
    });
}

function debugText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.split('\n').map(printable).join('\n');
}

/** The error as one sentence for a person, and an exit code. */
function failureOf(error: unknown, signal: AbortSignal): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof FieldsError) return new CliError(error.message);
  if (signal.aborted) {
    return new CliError('interrupted; the same command continues', EXIT.interrupted);
  }
  if (error instanceof SoilError) return serviceFailure(error);
  if (error instanceof Error) return new CliError(systemFailure(error));
  return new CliError(String(error));
}

function serviceFailure(error: SoilError): CliError {
  switch (error.type) {
    case 'quota-exceeded':
      return new CliError(
        `${error.message} The same command continues tomorrow (UTC).`,
        EXIT.quota,
      );
    case 'unauthorized':
      return new CliError('the service rejects the API key: it is unknown, expired or revoked');
    case 'forbidden':
      return new CliError('the service refuses access: the tenant of this API key is disabled');
    default:
      return new CliError(error.message);
  }
}

/** What the system reports most when files are written. */
const SYSTEM_FAILURES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space; the same command continues',
  EDQUOT: 'your quota on this disk is used up: free some space; the same command continues',
  EROFS: 'the disk is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

function systemFailure(error: NodeJS.ErrnoException): string {
  const known = SYSTEM_FAILURES[error.code ?? ''];
  if (known === undefined) return `${error.message} (DEBUG=1 shows the stack)`;
  return error.path === undefined ? known : `${error.path}: ${known}`;
}
