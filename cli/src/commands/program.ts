import { Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printable } from '../terminal/printable.ts';
import { terminalOf } from '../terminal/terminal.ts';
import { cliVersion } from '../version.ts';
import type { CommandSpec } from './command-spec.ts';
import { COMMANDS, WEBHOOK_COMMANDS } from './commands.ts';
import { connect } from './connect.ts';
import { failureOf } from './failure.ts';
import type { CommonOptions, Host } from './session.ts';

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
    const terminal = terminalOf(host, args.includes('--json'));
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
    const terminal = terminalOf(host, options.json === true);
    const session = { ...host, terminal, connect: () => connect(host, terminal, options) };
    onExit(await spec.action(session, command));
  });
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
