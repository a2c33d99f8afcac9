import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packCatalogue } from '../lambdas/model/pack/catalogue.ts';
import { hrefsOf } from '../lambdas/model/pack/hrefs.ts';
import { manifestSchema } from '../lambdas/model/pack/manifest.ts';
import { loadPack, type Pack, PackInvalid } from '../lambdas/model/pack/pack.ts';
import { PackFileUnavailable } from '../lambdas/model/pack/pack-files.ts';
import { packFolder } from '../lambdas/model/pack/pack-folder.ts';
import { problemsOfFiles } from '../lambdas/model/verify-pack.ts';

/** Where a deployment's packs are: a folder each. */
export const MODELS = fileURLToPath(new URL('../models/', import.meta.url));

/**
 * Refuses to deploy a pack that would fail every job: the functions load all packs when they start.
 * @throws Error with a line for each problem, `models/<pack>/manifest.json: <member>: <what>`
 */
export async function requireUsablePacks(names: readonly string[], models = MODELS): Promise<void> {
  const read = await Promise.all(names.map((name) => readPack(name, models)));
  const problems = read.flatMap((pack) => pack.problems);
  if (problems.length > 0) throw new Error(`model packs are not usable:\n${problems.join('\n')}`);
  packCatalogue(read.flatMap(({ pack }) => pack ?? []));
}

interface ReadPack {
  readonly pack?: Pack;
  readonly problems: readonly string[];
}

async function readPack(name: string, models: string): Promise<ReadPack> {
  const manifest = `models/${name}/manifest.json`;
  try {
    const pack = await loadPack(packFolder(join(models, name)));
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
  names: readonly string[],
  contents: PackContents,
  models = MODELS,
): readonly string[] {
  return names.flatMap((name) => {
    const target = join(output, 'models', name);
    const files = contents === 'whole' ? filesOf(join(models, name)) : ['manifest.json'];
    return files.flatMap((file) => [
      `mkdir -p ${quoted(dirname(join(target, file)))}`,
      `cp ${quoted(join(models, name, file))} ${quoted(join(target, file))}`,
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
