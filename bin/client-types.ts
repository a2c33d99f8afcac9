import { writeFileSync } from 'node:fs';
import { clientShapes } from './generated/client-shapes.ts';
import { clientTypes } from './generated/client-types.ts';
import { runCommand } from './operator/command.ts';

/** Part of `npm run docs`. */
async function main(): Promise<void> {
  writeFileSync(new URL('../client/src/openapi.ts', import.meta.url), await clientTypes());
  writeFileSync(new URL('../client/src/shapes.ts', import.meta.url), clientShapes());
}

await runCommand('client-types', main);
