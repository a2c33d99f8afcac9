import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withRemoteSources } from '#engine/model/pack/pack-files.ts';
import { packFolder } from '#engine/model/pack/pack-folder.ts';
import { runCommand } from './operator/command.ts';
import { folderArgument } from './operator/command-line.ts';
import { freeze } from './packs/freeze.ts';
import { remoteSources } from './packs/remote-sources.ts';

const HELP = `Usage: npm run --silent pack-freeze -- <folder of a pack without a graph>

Reads the headers of a published map's files, all periods, and writes its grid, coverage, scale and
nodata into manifest.json. Prints what it found. Fails if a file contradicts the manifest or another
file, or states too little.

Exit code 1: a file cannot be read or used; 2: the command line is invalid.`;

/** `npm run pack-freeze -- models/openlandmap-soc` */
async function main(): Promise<void> {
  const folder = folderArgument('models/openlandmap-soc');
  if (folder === null) return console.log(HELP);
  const path = join(folder, 'manifest.json');
  const files = withRemoteSources(packFolder(folder), remoteSources());
  const { manifest, findings } = await freeze(JSON.parse(readFileSync(path, 'utf8')), files);
  for (const finding of findings) console.log(finding);
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  console.log(`${path} is frozen: check a place that you know with npm run pack-check`);
}

await runCommand('pack-freeze', main);
