import { dynamoApiKeys } from '../lambdas/adapters/dynamodb/api-keys.ts';
import { HELP, parseKeysCommand } from './keys/keys-command.ts';
import { runKeys } from './keys/manage-keys.ts';
import { runStageCommand } from './operator/stage-command.ts';

/** `npm run keys --` creates, lists, rotates and revokes API keys of a stage. */
await runStageCommand({
  name: 'keys',
  help: HELP,
  parse: (args) => parseKeysCommand(args, new Date()),
  run: (command, table) => runKeys(command, { keys: dynamoApiKeys(table), clock: table.clock }),
});
