import { dynamoTenantRecords } from '../lambdas/adapters/dynamodb/tenants.ts';
import { runCommand } from './operator/command.ts';
import { HELP, readArguments } from './tenants/arguments.ts';
import { runTenants } from './tenants/run.ts';

/** `npm run tenants --`: an operator's command to make, limit and disable tenants of a stage. */
await runCommand({
  name: 'tenants',
  help: HELP,
  read: readArguments,
  run: (command, table) =>
    runTenants(command, { tenants: dynamoTenantRecords(table), clock: table.clock }),
});
