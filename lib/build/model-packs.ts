import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { countCovariateBytes } from '#engine/model/covariates/covariate-raster.ts';
import { estimateModelMemory } from '#engine/model/load-regressor.ts';
import { createPackCatalogue } from '#engine/model/pack/catalogue.ts';
import { findCoverageOffGrid } from '#engine/model/pack/coverage-off-grid.ts';
import {
  DIGESTS_FILE,
  formatDigests,
  listDigestedFiles,
  listS3Objects,
  sha256,
} from '#engine/model/pack/digests.ts';
import { isChosenByPlace, type Manifest, manifestSchema } from '#engine/model/pack/manifest.ts';
import { loadPack, type Pack, PackInvalid } from '#engine/model/pack/pack.ts';
import {
  MANIFEST_FILE,
  type PackFiles,
  PackFileUnavailable,
  type RemoteSources,
  type S3Object,
  withRemoteSources,
} from '#engine/model/pack/pack-files.ts';
import { openPackFolder } from '#engine/model/pack/pack-folder.ts';
import { estimatePredictingMemory } from '#engine/model/pack/predicting-memory.ts';
import { listLicenses } from '#engine/model/pack/sources.ts';
import { findFileProblems } from '#engine/model/verify-pack.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { ROOT } from './build-cache.ts';

export type DeployedPacks = Pick<StageConfig, 'modelsFolder' | 'modelPacks'>;

/** The folders are in deployment order. */
export function listPackFolders({ modelsFolder, modelPacks }: DeployedPacks): readonly string[] {
  return modelPacks.map((name) => resolve(ROOT, modelsFolder, name));
}

/** The fields by which an operator chooses a pack. Even a manifest that is not frozen yet has them. */
const choosable = z.object({
  licenses: manifestSchema.shape.licenses,
  by_name_only: manifestSchema.shape.by_name_only,
  for_checks: manifestSchema.shape.for_checks,
});

/** Lists the packs for jobs without `model`, each with its licenses, as in `meuse-soc (GPL-2.0-or-later)`. */
export function listAvailablePacks({ modelsFolder }: DeployedPacks): readonly string[] {
  return readdirSync(resolve(ROOT, modelsFolder)).flatMap((name) => {
    const path = resolve(ROOT, modelsFolder, name, MANIFEST_FILE);
    if (!existsSync(path)) return [];
    const pack = choosable.parse(JSON.parse(readFileSync(path, 'utf8')));
    return isChosenByPlace(pack) ? [`${name} (${listLicenses(pack).join(', ')})`] : [];
  });
}

/**
 * Prevents the deployment of a pack that would fail every job, because the functions load all packs when they start.
 * @param remote reads covariates at URLs
 * @returns one line for each thing that could not be checked now
 * @throws Error with a line per problem, `models/<pack>/manifest.json: <field>: <message>`
 */
export async function requireUsablePacks(
  deployed: DeployedPacks & Pick<StageConfig, 'memoryMb'>,
  remote: RemoteSources,
): Promise<readonly string[]> {
  const { packs, unchecked } = await readUsablePacks(deployed, remote);
  createPackCatalogue(packs);
  return unchecked;
}

/** Reads and checks packs, which need not be all packs of a stage. @throws Error with a line per problem */
export async function readUsablePacks(
  { modelsFolder, modelPacks, memoryMb }: DeployedPacks & Pick<StageConfig, 'memoryMb'>,
  remote: RemoteSources,
): Promise<{ readonly packs: readonly Pack[]; readonly unchecked: readonly string[] }> {
  const read = await Promise.all(
    modelPacks.map((name) => {
      const folder = join(modelsFolder, name);
      const files = withRemoteSources(openPackFolder(resolve(ROOT, folder)), remote);
      return readUsablePack(join(folder, MANIFEST_FILE), files, memoryMb.predict);
    }),
  );
  const problems = read.flatMap((pack) => pack.problems);
  if (problems.length > 0)
    throw new Error(
      `model packs cannot be used (lib/config/model-packs.json):\n${problems.join('\n')}`,
    );
  return {
    packs: read.flatMap(({ pack }) => pack ?? []),
    unchecked: read.flatMap(({ unchecked }) => unchecked),
  };
}

interface ReadPack {
  readonly pack?: Pack;
  readonly problems: readonly string[];
  /** Checks that failed because a server did not respond. */
  readonly unchecked: readonly string[];
}

/**
 * Checks a pack in the same way as a deployment.
 * @param manifest the manifest's name in the problems
 * @param schema a schema that accepts more manifests, for the stage `local`
 */
export async function readUsablePack(
  manifest: string,
  files: PackFiles,
  predictMb: number,
  schema = manifestSchema,
): Promise<ReadPack> {
  try {
    const pack = await loadPack(files, schema);
    const problems = [
      ...findCoverageOffGrid(pack.manifest),
      ...(await findFileProblems(pack)),
      ...(await findMemoryProblems(pack, predictMb)),
    ];
    const [unchecked, certain] = [true, false].map((transient) =>
      formatProblems(
        manifest,
        problems.filter((problem) => (problem.transient ?? false) === transient),
      ),
    );
    return { pack, problems: certain ?? [], unchecked: unchecked ?? [] };
  } catch (error) {
    if (error instanceof PackInvalid) {
      return { problems: formatProblems(manifest, error.problems), unchecked: [] };
    }
    if (error instanceof PackFileUnavailable) {
      return { problems: [`${manifest}: ${error.reason}`], unchecked: [] };
    }
    throw error;
  }
}

async function findMemoryProblems(pack: Pack, predictMb: number): Promise<PackInvalid['problems']> {
  const { manifest, files } = pack;
  const { graph } = manifest;
  // A missing or invalid graph is reported as another problem.
  const model =
    graph === undefined
      ? 0
      : await files
          .readFile(graph.href)
          .then(estimateModelMemory)
          .catch(() => 0);
  const covariates = await countCovariateBytes(pack);
  const neededMb = Math.ceil(estimatePredictingMemory(manifest, { model, covariates }) / 2 ** 20);
  if (neededMb <= predictMb) return [];
  const message = `a patch-batch of ${manifest.grid.block_tiles} × ${manifest.grid.block_tiles} tiles may need ${neededMb} MB, but the prediction function has ${predictMb} MB (memoryMb.predict); choose smaller blocks, a smaller sample_type, or more memory`;
  return [{ field: 'grid.block_tiles', message }];
}

function formatProblems(manifest: string, problems: PackInvalid['problems']): readonly string[] {
  return problems.map(({ field, message }) => `${manifest}: ${field}: ${message}`);
}

/** `whole` is the manifest and the pack's own files that determine a prediction, without files at URLs. */
export type PackContents = 'whole' | 'manifests';

/** Copies packs, or only their manifests, into a function's asset, with the digests of the packs' own files. */
export function copyPacks(output: string, deployed: DeployedPacks, contents: PackContents): void {
  for (const folder of listPackFolders(deployed)) {
    const copied = join(output, 'models', basename(folder));
    const files = listDigestedFiles(readManifest(folder));
    for (const file of contents === 'whole' ? files : [MANIFEST_FILE]) {
      cpSync(join(folder, file), join(copied, file));
    }
    const digests = files.map((file) => [file, sha256(readFileSync(join(folder, file)))] as const);
    writeFileSync(join(copied, DIGESTS_FILE), formatDigests(Object.fromEntries(digests)));
  }
}

export function listS3ObjectsOfPacks(deployed: DeployedPacks): readonly S3Object[] {
  return readManifests(deployed).flatMap(listS3Objects);
}

/** Reads the manifests in deployment order, in which jobs that name no model try the packs. */
export function readManifests(deployed: DeployedPacks): readonly Manifest[] {
  return listPackFolders(deployed).map(readManifest);
}

/** Reads a manifest synchronously, because a construct cannot wait. {@link requireUsablePacks} has validated it. */
export function readManifest(folder: string): Manifest {
  const text = readFileSync(join(folder, MANIFEST_FILE), 'utf8');
  return manifestSchema.parse(JSON.parse(text));
}
