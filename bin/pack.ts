import { runCommand } from './operator/command.ts';
import { packInto } from './release/packages.ts';

/** `npm run pack -- [folder]`: packs the client and the CLI, by default into `.local/packages`. */
async function main(): Promise<void> {
  const [folder = '.local/packages'] = process.argv.slice(2);
  for (const archive of packInto(folder)) console.log(archive);
}

await runCommand('pack', main);
