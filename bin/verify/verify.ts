import { parseJobPolygon } from '#engine/geometry/parse.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { covariateFiles } from '#engine/model/covariates/covariate-files.ts';
import { digestsOf } from '#engine/model/pack/digests.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { windowOrigin } from '#engine/raster/grid/grid.ts';
import { provenanceIn } from '../../lambdas/domain/job/finishing/provenance.ts';
import { CommandError } from '../operator/command.ts';
import { type Check, checksOfItem, checksOfPack } from './checks.ts';
import { type CellComparison, compareCells } from './compare-cells.ts';
import type { Item } from './item.ts';
import type { Sampling } from './pick.ts';
import { type Layout, layoutOf } from './pieces.ts';
import type { StoredRaster } from './stored-raster.ts';

export interface Verification {
  readonly verified: boolean;
  readonly jobId: string;
  readonly model: string;
  /** Versions of the service: of the prediction (null: unknown) and of this clone. */
  readonly version: { readonly predicted: string | null; readonly here: string };
  readonly checks: readonly Check[];
  /** Null if the raster is not on the cells that the pack gives the polygon. */
  readonly cells: CellComparison | null;
  /** Names of the bands. */
  readonly bands: readonly string[];
  readonly seed: number;
}

/**
 * Compares a result with what a pack gives for its polygon.
 * @param here the version of this clone
 * @throws CommandError if it cannot be compared
 */
export async function verify(
  item: Item,
  raster: StoredRaster,
  pack: Pack,
  sampling: Sampling,
  here: string,
): Promise<Verification> {
  const parsed = parseJobPolygon(item.geometry);
  if (parsed.kind === 'problem')
    throw new CommandError(`the Item's geometry is no polygon: ${parsed.message}`);
  const made = provenanceIn(raster.tags);
  const sources = [
    ...checksOfItem(item, raster, made),
    ...checksOfPack(pack, item, made, {
      pack: await digestsOf(pack),
      covariateFiles: await covariateFiles(pack),
    }),
  ];
  const { check, cells } = await compared(pack, parsed.polygon, raster, sampling).catch(
    (error: unknown) => {
      // The reason may be a file that has changed.
      if (error instanceof CommandError || sources.every(isUnchanged)) throw error;
      return unpredictable(error);
    },
  );
  const checks = [...sources, check];
  return {
    verified: checks.every(isUnchanged) && cells?.differences.length === 0,
    jobId: item.jobId,
    model: item.model,
    version: { predicted: made.version ?? null, here },
    checks,
    cells,
    bands: pack.manifest.bands.map(({ name }) => name),
    seed: sampling.seed,
  };
}

const isUnchanged = ({ state }: Check): boolean => state !== 'changed';

interface Compared {
  readonly check: Check;
  readonly cells: CellComparison | null;
}

async function compared(
  pack: Pack,
  polygon: MultiPolygonRings,
  raster: StoredRaster,
  sampling: Sampling,
): Promise<Compared> {
  const layout = await layoutOf(pack, polygon);
  const check = checkOfLayout(layout, raster, pack);
  if (layout === null || check.state === 'changed') return { check, cells: null };
  return { check, cells: await compareCells(pack, polygon, layout, raster, sampling) };
}

function unpredictable(error: unknown): Compared {
  const detail = error instanceof Error ? error.message : String(error);
  return { check: { what: 'prediction', state: 'changed', detail }, cells: null };
}

/** Whether the raster has the place, size and bands that the pack gives it. */
function checkOfLayout(layout: Layout | null, raster: StoredRaster, { manifest }: Pack): Check {
  const what = 'place and size of the raster';
  if (layout === null)
    return { what, state: 'changed', detail: 'the polygon is outside the grid of the model pack' };
  const { grid, bands } = manifest;
  const [west, north] = windowOrigin(layout.plan.window, grid);
  const expected = sizeText({
    width: layout.width,
    height: layout.height,
    bands: bands.length,
    origin: [west, north],
    cellSize: grid.cell_size,
  });
  const found = sizeText(raster);
  return expected === found
    ? { what, state: 'same', detail: null }
    : { what, state: 'changed', detail: `${found} instead of ${expected}` };
}

type Place = Pick<StoredRaster, 'width' | 'height' | 'bands' | 'origin' | 'cellSize'>;

function sizeText({ width, height, bands, origin, cellSize }: Place): string {
  return `${width} × ${height} cells of ${cellSize} from ${origin.join(', ')} in ${bands} bands`;
}
