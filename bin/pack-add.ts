import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { messageOf } from '#engine/errors/message-of.ts';
import { createPackCatalogue } from '#engine/model/pack/catalogue.ts';
import { localManifestSchema, manifestSchema } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { MANIFEST_FILE, type PackFiles, withRemoteSources } from '#engine/model/pack/pack-files.ts';
import { openPackFolder } from '#engine/model/pack/pack-folder.ts';
import { listPackFolders, readUsablePack } from '../lib/build/model-packs.ts';
import { readStageConfig } from '../lib/config/each-stage.ts';
import MODEL_PACKS from '../lib/config/model-packs.json' with { type: 'json' };
import { parseConfig, type StageConfig } from '../lib/config/stage-config.ts';
import type { StageName } from '../lib/stages.ts';
import { CommandError, runCommand } from './operator/command.ts';
import { parseOptions, parseStage } from './operator/command-line.ts';
import { readExpected } from './packs/expected.ts';
import { freezeManifest } from './packs/freeze.ts';
import { comparePlaces, findImplausiblePlaces, formatPlaces } from './packs/known-places.ts';
import { cacheRanges, openPack, remoteSources } from './packs/remote-sources.ts';

const HELP = `Usage: npm run --silent pack-add -- <folder of a pack> [--stage local|dev|prod] [--yes]

Checks a model pack as a deployment does, and adds it at the end of a stage's packs.

For a published map, which has no graph, it reads the headers of all files and compares them with the
manifest and with expected.json, shows the map next to published values at known places, and writes the
grid, coverage, scale and nodata of the files into manifest.json.

Asks before it writes; --yes answers the question unless a place is implausible. If a check fails, it prints
a line for each problem and changes nothing.

Exit code 1: nothing was changed; 2: the command line is invalid.`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STAGE_PACKS = join(ROOT, 'lib/config/model-packs.json');
const FORMATTER = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');

async function main(): Promise<void> {
  const { folder, stage, yes } = readOptions();
  if (folder === undefined) return console.log(HELP);
  try {
    await addPack(folder, stage, yes);
  } catch (error) {
    throw new CommandError(`${messageOf(error)}\nnothing was changed`, 1);
  }
}

function readOptions(): { folder?: string | undefined; stage: StageName; yes: boolean } {
  const { values, positionals } = parseOptions({
    options: {
      stage: { type: 'string' },
      yes: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  const [stage, yes] = [parseStage(values.stage), values.yes === true];
  if (values.help === true) return { stage, yes };
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0)
    throw new CommandError('expected the folder of a pack, such as models/openlandmap-soc');
  return { folder, stage, yes };
}

async function addPack(folder: string, stage: StageName, yes: boolean): Promise<void> {
  const config = addToStage(stage, folder);
  const { places, files: known } = readExpected(folder);
  const stored = withRemoteSources(openPackFolder(folder), cacheRanges(remoteSources()));
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), 'utf8'));
  const frozen =
    manifest.graph === undefined ? await freezeManifest(manifest, stored, known) : null;
  for (const finding of frozen?.findings ?? []) console.log(finding);
  const files: PackFiles = {
    ...stored,
    readFile: async (href) =>
      frozen !== null && href === MANIFEST_FILE
        ? Buffer.from(JSON.stringify(frozen.manifest))
        : stored.readFile(href),
  };
  const pack = await requireUsablePack(config, files, folder);
  const compared = await comparePlaces(pack, places);
  if (places.length > 0) for (const line of formatPlaces(pack, compared)) console.log(line);
  await confirm(`Add ${pack.ref} to ${stage}?`, findImplausiblePlaces(pack, compared), yes);
  if (frozen !== null) writeJson(resolve(folder, MANIFEST_FILE), frozen.manifest);
  writeJson(STAGE_PACKS, { ...MODEL_PACKS, [stage]: config.modelPacks });
  const next = stage === 'local' ? 'npm start' : `npm run deploy -- --stage ${stage}`;
  console.log(`${stage} has the packs ${config.modelPacks.join(', ')}. Next: ${next}`);
}

/** Unchanged if the stage already has the pack. */
function addToStage(stage: StageName, folder: string): StageConfig {
  const config = readStageConfig(stage);
  const name = basename(resolve(folder));
  const modelPacks = [...new Set([...config.modelPacks, name])];
  const [expected = ''] = listPackFolders({ ...config, modelPacks: [name] });
  if (resolve(folder) === expected) return parseConfig({ ...config, modelPacks });
  throw new Error(`${folder} is not in the folder of packs; move it to ${expected}`);
}

/**
 * Reads the pack in the folder with these files, and checks it as a deployment does, together with the stage's other
 * packs.
 */
async function requireUsablePack(
  config: StageConfig,
  files: PackFiles,
  folder: string,
): Promise<Pack> {
  // The development server may also read from servers of this machine.
  const schema = config.stage === 'local' ? localManifestSchema : manifestSchema;
  const { pack, problems, unchecked } = await readUsablePack(
    MANIFEST_FILE,
    files,
    config.memoryMb.predict,
    schema,
  );
  const found = [...problems, ...unchecked];
  if (pack === undefined || found.length > 0) throw new Error(found.join('\n'));
  const others = listPackFolders(config).filter((other) => other !== resolve(folder));
  createPackCatalogue([...(await Promise.all(others.map((other) => openPack(other)))), pack]);
  return pack;
}

/** @param doubts sentences about implausible places, which `--yes` cannot confirm */
async function confirm(question: string, doubts: readonly string[], yes: boolean): Promise<void> {
  for (const doubt of doubts) console.log(`! ${doubt}`);
  if (yes && doubts.length === 0) return;
  if (yes)
    throw new Error(
      '--yes cannot confirm implausible places; look at them, and run the command without --yes',
    );
  process.stdout.write(`${question} [y/N] `);
  const lines = createInterface({ input: process.stdin });
  const [answer = ''] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  lines.close();
  if (!/^y(es)?$/i.test(answer)) throw new Error('not confirmed');
}

function writeJson(file: string, json: unknown): void {
  writeFileSync(file, JSON.stringify(json, null, 2));
  execFileSync(process.execPath, [FORMATTER, 'format', '--write', '--vcs-enabled=false', file], {
    cwd: ROOT,
    stdio: 'ignore',
  });
}

await runCommand('pack-add', main);
