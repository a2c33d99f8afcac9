import { dynamoTenantRecords } from '../lambdas/adapters/dynamodb/tenants.ts';
import { runStageCommand } from './operator/stage-command.ts';
import { runTenants } from './tenants/manage-tenants.ts';
import { HELP, parseTenantsCommand } from './tenants/tenants-command.ts';

/** `npm run tenants --` creates tenants of a stage, sets their limits and disables them. */
await runStageCommand({
  name: 'tenants',
  help: HELP,
  parse: parseTenantsCommand,
  run: (command, table) =>
    runTenants(command, { tenants: dynamoTenantRecords(table), clock: table.clock }),
});
