import { runStageCommand } from './operator/stage-command.ts';
import { HELP, readArguments } from './restore/arguments.ts';
import { copyBack } from './restore/copy-back.ts';

/** `npm run restore --`: an operator's command to copy back what a stage's table has lost. */
await runStageCommand({
  name: 'restore',
  help: HELP,
  read: readArguments,
  run: async (command, table) => {
    const data = await copyBack(table, command.from, command.kind);
    const text = `${data.copied} items copied back, ${data.present} were there and were left as they are`;
    return { data, text };
  },
});
