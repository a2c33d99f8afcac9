import { writeFileSync } from 'node:fs';
import { generateClientShapes } from './generated/client-shapes.ts';
import { generateClientTypes } from './generated/client-types.ts';
import { runCommand } from './operator/command.ts';

async function main(): Promise<void> {
  writeFileSync(new URL('../client/src/openapi.ts', import.meta.url), await generateClientTypes());
  writeFileSync(new URL('../client/src/shapes.ts', import.meta.url), generateClientShapes());
}

await runCommand('client-types', main);
