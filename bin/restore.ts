import { runStageCommand } from './operator/stage-command.ts';
import { copyBack } from './restore/copy-back.ts';
import { HELP, parseRestoreCommand } from './restore/restore-command.ts';

/** `npm run restore --` copies lost items of a stage's table from a restored table. */
await runStageCommand({
  name: 'restore',
  help: HELP,
  parse: parseRestoreCommand,
  run: async (command, table) => {
    const data = await copyBack(table, command.from, command.kind);
    const counts = `items copied: ${data.copied}; existing items left unchanged: ${data.present}`;
    const retries = data.batches_to_retry.map(
      (batchId) =>
        `batch ${batchId}: the final state of some jobs was lost, so they failed; the client must retry them`,
    );
    return { data, text: [counts, ...retries].join('\n') };
  },
});
