import { messageOf } from '../errors/message-of.ts';
import { loadApplicability } from './applicability/applicability.ts';
import { CovariateUnavailable, openCovariateRaster } from './covariates/covariate-raster.ts';
import { loadRegressor, needsOnnxRuntime } from './load-regressor.ts';
import { tryGraph } from './onnx/trial.ts';
import type { ManifestProblem } from './pack/consistency.ts';
import type { RasterCovariate } from './pack/manifest.ts';
import type { Pack } from './pack/pack.ts';
import { PackFileUnavailable } from './pack/pack-files.ts';
import { chooseHref, formatYears, listPackPeriods } from './pack/periods.ts';

/** Enough for ONNX Runtime to start and to optimise a large network. */
const TRIAL_SECONDS = 60;

/**
 * Finds contradictions between a manifest and its files: a missing file, a wrong number of features, targets or
 * training points, a covariate on a different grid. Reads the graph, the points and the header of each
 * covariate, including remote ones, so it runs at deployment and not for each job.
 */
export async function findFileProblems(
  pack: Pack,
  trialSeconds = TRIAL_SECONDS,
): Promise<readonly ManifestProblem[]> {
  const problems = await Promise.all([
    findGraphProblem(pack, trialSeconds),
    findApplicabilityProblem(pack),
    ...listPackPeriods(pack).flatMap((map, period) =>
      pack.manifest.covariates.map((covariate, i) =>
        // A file for all periods is read once.
        covariate.kind === 'raster' && (period === 0 || typeof covariate.href === 'object')
          ? findCovariateProblem(map, covariate, i)
          : null,
      ),
    ),
  ]);
  return problems.filter((problem) => problem !== null);
}

async function findGraphProblem(pack: Pack, trialSeconds: number): Promise<ManifestProblem | null> {
  const { graph, covariates } = pack.manifest;
  if (graph === undefined) return null;
  try {
    const bytes = await pack.files.readFile(graph.href);
    if (needsOnnxRuntime(bytes)) await tryGraph(bytes, covariates.length, trialSeconds);
    await loadRegressor(pack);
    return null;
  } catch (error) {
    return { field: 'graph.href', message: describeFileError(error, graph.href) };
  }
}

async function findApplicabilityProblem(pack: Pack): Promise<ManifestProblem | null> {
  try {
    await loadApplicability(pack);
    return null;
  } catch (error) {
    const href = pack.manifest.applicability?.href ?? '';
    return { field: 'applicability.href', message: describeFileError(error, href) };
  }
}

async function findCovariateProblem(
  pack: Pack,
  covariate: RasterCovariate,
  index: number,
): Promise<ManifestProblem | null> {
  try {
    await openCovariateRaster(pack, covariate);
    return null;
  } catch (error) {
    const message = error instanceof CovariateUnavailable ? error.reason : messageOf(error);
    const href = chooseHref(covariate, pack);
    const named = message.startsWith(href) ? message : `${href}: ${message}`;
    const transient = isTransientFailure(error) ? { transient: true } : {};
    const years =
      typeof covariate.href === 'object' && pack.years ? `.${formatYears(pack.years)}` : '';
    return { field: `covariates[${index}].href${years}`, message: named, ...transient };
  }
}

function isTransientFailure(error: unknown): boolean {
  const cause = error instanceof CovariateUnavailable ? error.cause : error;
  return cause instanceof PackFileUnavailable && cause.transient;
}

/** Prefixes the file's name, unless the error is one that already has it. */
function describeFileError(error: unknown, href: string): string {
  return error instanceof PackFileUnavailable ? error.message : `${href}: ${messageOf(error)}`;
}
