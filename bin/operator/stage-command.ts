import type { Table } from '../../lambdas/adapters/dynamodb/table.ts';
import { print, type Result, runCommand } from './command.ts';
import type { Common } from './command-line.ts';
import { openStageTable } from './stage-table.ts';

interface StageCommand<Command> {
  readonly name: string;
  readonly help: string;
  /** @throws CommandError */
  readonly parse: (args: readonly string[]) => Command;
  readonly run: (command: Exclude<Command, { kind: 'help' }>, table: Table) => Promise<Result>;
}

export function runStageCommand<Command extends { kind: 'help' } | (Common & { kind: string })>({
  name,
  help,
  parse,
  run,
}: StageCommand<Command>): Promise<void> {
  return runCommand(name, async () => {
    const command = parse(process.argv.slice(2));
    if (!isWork(command)) return console.log(help);
    print(await run(command, await openStageTable(command.stage)), command.json);
  });
}

function isWork<Command extends { kind: 'help' } | (Common & { kind: string })>(
  command: Command,
): command is Exclude<Command, { kind: 'help' }> & Common {
  return command.kind !== 'help';
}
