import { runCommand } from './operator/command.ts';
import { packInto } from './release/packages.ts';

/** `npm run pack -- [folder]` packs the client, by default into `.local/packages`. */
async function main(): Promise<void> {
  const [folder = '.local/packages'] = process.argv.slice(2);
  console.log(packInto(folder));
}

await runCommand('pack', main);
