import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packCatalogue } from '../lambdas/model/pack/catalogue.ts';
import { hrefsOf } from '../lambdas/model/pack/hrefs.ts';
import { manifestSchema } from '../lambdas/model/pack/manifest.ts';
import { loadPack, type Pack, PackInvalid } from '../lambdas/model/pack/pack.ts';
import { PackFileUnavailable } from '../lambdas/model/pack/pack-files.ts';
import { packFolder } from '../lambdas/model/pack/pack-folder.ts';
import { problemsOfFiles } from '../lambdas/model/verify-pack.ts';
import type { StageConfig } from './config.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The packs of a deployment, a folder each. */
export type DeployedPacks = Pick<StageConfig, 'modelsFolder' | 'modelPacks'>;

/** The folders of the packs, in the deployment's order. */
export function packFolders({ modelsFolder, modelPacks }: DeployedPacks): readonly string[] {
  return modelPacks.map((name) => resolve(ROOT, modelsFolder, name));
}

/**
 * Refuses to deploy a pack that would fail every job: the functions load all packs when they start.
 * @throws Error with a line for each problem, `models/<pack>/manifest.json: <member>: <what>`
 */
export async function requireUsablePacks(deployed: DeployedPacks): Promise<void> {
  const read = await Promise.all(
    deployed.modelPacks.map((name) => readPack(join(deployed.modelsFolder, name))),
  );
  const problems = read.flatMap((pack) => pack.problems);
  if (problems.length > 0) throw new Error(`model packs are not usable:\n${problems.join('\n')}`);
  packCatalogue(read.flatMap(({ pack }) => pack ?? []));
}

interface ReadPack {
  readonly pack?: Pack;
  readonly problems: readonly string[];
}

async function readPack(folder: string): Promise<ReadPack> {
  const manifest = join(folder, 'manifest.json');
  try {
    const pack = await loadPack(packFolder(resolve(ROOT, folder)));
    return { pack, problems: linesOf(manifest, await problemsOfFiles(pack)) };
  } catch (error) {
    if (error instanceof PackInvalid) return { problems: linesOf(manifest, error.problems) };
    if (error instanceof PackFileUnavailable) return { problems: [`${manifest}: ${error.reason}`] };
    throw error;
  }
}

function linesOf(manifest: string, problems: PackInvalid['problems']): readonly string[] {
  return problems.map(({ member, message }) => `${manifest}: ${member}: ${message}`);
}

/** `whole`: the manifest and every file it names. */
export type PackContents = 'whole' | 'manifests';

/**
 * Shell commands that copy what a manifest names into a function's asset, and nothing else of the
 * pack's folder.
 */
export function copyOfPacks(
  output: string,
  deployed: DeployedPacks,
  contents: PackContents,
): readonly string[] {
  return packFolders(deployed).flatMap((folder) => {
    const target = join(output, 'models', basename(folder));
    const files = contents === 'whole' ? filesOf(folder) : ['manifest.json'];
    return files.flatMap((file) => [
      `mkdir -p ${quoted(dirname(join(target, file)))}`,
      `cp ${quoted(join(folder, file))} ${quoted(join(target, file))}`,
    ]);
  });
}

/** Read without a promise, as a construct can't wait; {@link requireUsablePacks} has judged it. */
function filesOf(pack: string): readonly string[] {
  const text = readFileSync(join(pack, 'manifest.json'), 'utf8');
  return ['manifest.json', ...hrefsOf(manifestSchema.parse(JSON.parse(text)))];
}

/** For the shell that runs the commands: a file may have any name. */
export function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
