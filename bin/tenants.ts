import { dynamoTenantRecords } from '../lambdas/adapters/dynamodb/tenants.ts';
import { runStageCommand } from './operator/stage-command.ts';
import { HELP, readArguments } from './tenants/arguments.ts';
import { runTenants } from './tenants/run.ts';

/** `npm run tenants --`: creates, limits and disables tenants of a stage. */
await runStageCommand({
  name: 'tenants',
  help: HELP,
  read: readArguments,
  run: (command, table) =>
    runTenants(command, { tenants: dynamoTenantRecords(table), clock: table.clock }),
});
