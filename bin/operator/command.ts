import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';
import type { Common } from './arguments.ts';
import { openStageTable, StageUnreachable } from './stage-table.ts';
import { UsageError } from './usage-error.ts';

/** A command of `npm run`, over the table of a stage. */
interface OperatorCommand<Command> {
  /** As `npm run` knows it. */
  readonly name: string;
  readonly help: string;
  /** @throws UsageError */
  readonly read: (args: readonly string[]) => Command;
  /** @returns the text to print */
  readonly run: (command: Exclude<Command, { kind: 'help' }>, table: Table) => Promise<string>;
}

/** Runs the command with this process's arguments, and tells what went wrong as people need it. */
export async function runCommand<Command extends { kind: 'help' } | (Common & { kind: string })>({
  name,
  help,
  read,
  run,
}: OperatorCommand<Command>): Promise<void> {
  // The SDK's note about Node versions to come is not what an operator asked for.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  try {
    const command = read(process.argv.slice(2));
    if (!isWork(command)) return console.log(help);
    console.log(await run(command, await openStageTable(command.stage)));
  } catch (error) {
    const known = error instanceof UsageError || error instanceof StageUnreachable;
    console.error(known ? `${name}: ${error.message}` : error);
    if (error instanceof UsageError)
      console.error(`npm run ${name} -- --help shows what is possible.`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

function isWork<Command extends { kind: 'help' } | (Common & { kind: string })>(
  command: Command,
): command is Exclude<Command, { kind: 'help' }> & Common {
  return command.kind !== 'help';
}
