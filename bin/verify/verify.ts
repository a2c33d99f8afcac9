import { parseJobPolygon } from '#engine/geometry/parse.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { listCovariateFiles } from '#engine/model/covariates/covariate-files.ts';
import { computeDigests } from '#engine/model/pack/digests.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { padForHalving } from '#engine/raster/cog/raster.ts';
import { windowOrigin } from '#engine/raster/grid/grid.ts';
import { messageOf } from '../../engine/errors/message-of.ts';
import { type Provenance, parseProvenance } from '../../lambdas/domain/job/finishing/provenance.ts';
import { plannedCells } from '../../lambdas/domain/job/planning/draft-plan.ts';
import { CommandError } from '../operator/command.ts';
import { type CellComparison, compareCells } from './compare-cells.ts';
import type { Result } from './result.ts';
import type { StoredRaster } from './stored-raster.ts';

/** The result of the command, as `--json` prints it. */
export interface Verification {
  readonly verified: boolean;
  readonly job_id: string;
  readonly model: string;
  /** The versions of the service that made the prediction (null if unknown) and of this clone. */
  readonly version: { readonly predicted: string | null; readonly here: string };
  /**
   * Differences apart from those in cells: in the files of the pack, the job or the position of the raster; or why the
   * prediction failed.
   */
  readonly changed: readonly string[];
  /** Null if the raster does not lie on the cells that the pack gives the polygon, or if nothing can be predicted. */
  readonly cells: CellComparison | null;
}

/**
 * Compares a result with what a pack predicts for its polygon.
 * @param here the version of this clone
 * @throws CommandError if they cannot be compared
 */
export async function verifyResult(
  result: Result,
  raster: StoredRaster,
  pack: Pack,
  here: string,
): Promise<Verification> {
  const parsed = parseJobPolygon(result.geometry);
  if (parsed.kind === 'problem')
    throw new CommandError(`the Item's geometry is not a polygon: ${parsed.message}`);
  const made = parseProvenance(raster.tags);
  const files = await listChangedFiles(pack, made);
  const { elsewhere, cells } = await compareRaster(pack, parsed.polygon, raster).catch(
    (error: unknown) => {
      // A file that has changed may be the reason.
      if (files.length === 0) throw error;
      return {
        elsewhere: [`prediction: ${messageOf(error)}`],
        cells: null,
      };
    },
  );
  const job = raster.tags['JOB_ID'];
  const changed = [
    ...(job === result.jobId ? [] : [`the raster belongs to job ${job}`]),
    ...files,
    ...elsewhere,
  ];
  return {
    verified: changed.length === 0 && cells?.differing === 0,
    job_id: result.jobId,
    model: result.model,
    version: { predicted: made.version ?? null, here },
    changed,
    cells,
  };
}

async function listChangedFiles(pack: Pack, made: Partial<Provenance>): Promise<readonly string[]> {
  const found = await computeDigests(pack);
  const used = made.pack ?? {};
  const hrefs = new Set([...Object.keys(used), ...Object.keys(found)]);
  const remote = await listCovariateFiles(pack);
  const usedRemote = new Map(made.covariateFiles?.map((file) => [file.covariate, file]));
  return [
    ...[...hrefs].filter((href) => used[href] !== found[href]).map((href) => `file ${href}`),
    ...remote.flatMap(({ covariate, size, etag }) => {
      const before = usedRemote.get(covariate);
      return before?.size === size && before.etag === etag
        ? []
        : [`covariate ${covariate} at its URL`];
    }),
  ];
}

async function compareRaster(pack: Pack, polygon: MultiPolygonRings, raster: StoredRaster) {
  const { grid, bands } = pack.manifest;
  const plan = plannedCells(polygon, pack.manifest);
  if (plan === null) {
    return { elsewhere: ['the polygon is outside the grid of the model pack'], cells: null };
  }
  const { width, height } = padForHalving({ ...plan.window, tileSize: grid.tile_size });
  const expected = formatPlace({
    width,
    height,
    bands: bands.length,
    origin: windowOrigin(plan.window, grid),
    cellSize: grid.cell_size,
  });
  const found = formatPlace(raster);
  if (expected !== found) {
    return { elsewhere: [`position of the raster: ${found} instead of ${expected}`], cells: null };
  }
  return { elsewhere: [], cells: await compareCells(pack, polygon, plan, raster) };
}

type Place = Pick<StoredRaster, 'width' | 'height' | 'bands' | 'origin' | 'cellSize'>;

function formatPlace({ width, height, bands, origin, cellSize }: Place): string {
  return `${width} × ${height} cells of ${cellSize} from ${origin.join(', ')}, bands: ${bands}`;
}
