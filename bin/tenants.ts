import { dynamoTenantRecords } from '../lambdas/adapters/dynamodb/tenants.ts';
import { UsageError } from './keys/arguments.ts';
import { openStageTable, StageUnreachable } from './keys/stage-table.ts';
import { HELP, readArguments } from './tenants/arguments.ts';
import { runTenants } from './tenants/run.ts';

/** `npm run tenants --`: an operator's command to make, limit and disable tenants of a stage. */
async function main(args: readonly string[]): Promise<void> {
  // The SDK's note about Node versions to come is not what an operator asked for.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const command = readArguments(args);
  if (command.kind === 'help') {
    console.log(HELP);
    return;
  }
  const table = await openStageTable(command.stage);
  console.log(
    await runTenants(command, { tenants: dynamoTenantRecords(table), clock: table.clock }),
  );
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof UsageError || error instanceof StageUnreachable;
  console.error(known ? `tenants: ${error.message}` : error);
  if (error instanceof UsageError)
    console.error('npm run tenants -- --help shows what is possible.');
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
