import { dynamoApiKeys } from '../lambdas/adapters/dynamodb/api-keys.ts';
import { HELP, readArguments, UsageError } from './keys/arguments.ts';
import { runKeys } from './keys/run.ts';
import { openStageTable, StageUnreachable } from './keys/stage-table.ts';

/** `npm run keys --`: an operator's command to make, list and revoke API keys of a stage. */
async function main(args: readonly string[]): Promise<void> {
  // The SDK's note about Node versions to come is not what an operator asked for.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const command = readArguments(args, new Date());
  if (command.kind === 'help') {
    console.log(HELP);
    return;
  }
  const table = await openStageTable(command.stage);
  console.log(await runKeys(command, { keys: dynamoApiKeys(table), clock: table.clock }));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof UsageError || error instanceof StageUnreachable;
  console.error(known ? `keys: ${error.message}` : error);
  if (error instanceof UsageError) console.error('npm run keys -- --help shows what is possible.');
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
