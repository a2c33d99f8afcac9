import { openCovariateRaster } from './covariates/covariate-raster.ts';
import { CovariateUnavailable } from './covariates/errors.ts';
import { loadRegressor } from './load-regressor.ts';
import type { RasterCovariate } from './pack/manifest.ts';
import type { ManifestProblem } from './pack/manifest-problem.ts';
import type { Pack } from './pack/pack.ts';
import { PackFileUnavailable } from './pack/pack-files.ts';

/**
 * What is wrong between a manifest and the files it names: a file that is missing, a graph with
 * other features or targets, a covariate on another grid. Reads the graph and each covariate's
 * header, at its address if it has one, so it is for the time of deployment, not of a job.
 */
export async function problemsOfFiles(pack: Pack): Promise<readonly ManifestProblem[]> {
  const problems = await Promise.all([
    graphProblem(pack),
    ...pack.manifest.covariates.map((covariate, i) =>
      covariate.kind === 'raster' ? covariateProblem(pack, covariate, i) : null,
    ),
  ]);
  return problems.filter((problem) => problem !== null);
}

async function graphProblem(pack: Pack): Promise<ManifestProblem | null> {
  try {
    await loadRegressor(pack);
    return null;
  } catch (error) {
    return { member: 'graph.href', message: fileMessage(error, pack.manifest.graph.href) };
  }
}

async function covariateProblem(
  pack: Pack,
  covariate: RasterCovariate,
  index: number,
): Promise<ManifestProblem | null> {
  try {
    await openCovariateRaster(pack, covariate);
    return null;
  } catch (error) {
    const message = error instanceof CovariateUnavailable ? error.reason : messageOf(error);
    const named = message.startsWith(covariate.href) ? message : `${covariate.href}: ${message}`;
    const passing = passes(error) ? { passing: true } : {};
    return { member: `covariates[${index}].href`, message: named, ...passing };
  }
}

function passes(error: unknown): boolean {
  const cause = error instanceof CovariateUnavailable ? error.cause : error;
  return cause instanceof PackFileUnavailable && cause.passing;
}

/** Every message names its file once. */
function fileMessage(error: unknown, href: string): string {
  return error instanceof PackFileUnavailable ? error.message : `${href}: ${messageOf(error)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
