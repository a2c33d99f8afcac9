import { runCommand } from './operator/command.ts';
import { HELP, readArguments } from './restore/arguments.ts';
import { copyBack } from './restore/copy-back.ts';

/** `npm run restore --`: an operator's command to copy back what a stage's table has lost. */
await runCommand({
  name: 'restore',
  help: HELP,
  read: readArguments,
  run: async (command, table) => {
    const counts = await copyBack(table, command.from, command.kind);
    if (command.json) return JSON.stringify(counts);
    return `${counts.copied} items copied back, ${counts.present} were there and were left as they are`;
  },
});
