import { writeFileSync } from 'node:fs';
import { clientTypes } from './generated/client-types.ts';
import { runCommand } from './operator/command.ts';

/** `npm run client-types` */
async function main(): Promise<void> {
  writeFileSync(new URL('../client/src/openapi.ts', import.meta.url), await clientTypes());
}

await runCommand('client-types', main);
