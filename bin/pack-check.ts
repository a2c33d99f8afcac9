import { basename, dirname, resolve } from 'node:path';
import type { Pack } from '#engine/model/pack/pack.ts';
import { listCovariateUrls } from '#engine/model/pack/periods.ts';
import { findMeanBand } from '#engine/model/pack/summarised-bands.ts';
import { readUsablePacks } from '../lib/build/model-packs.ts';
import { readStageConfig } from '../lib/config/each-stage.ts';
import { CommandError, runCommand } from './operator/command.ts';
import { parseOptions } from './operator/command-line.ts';
import { cellRemarks } from './packs/cell-remarks.ts';
import { cellsAt, type GridCell, type LonLat, swapHint } from './packs/covariates-at.ts';
import { mapOfYear, yearOf } from './packs/map-of-year.ts';
import { medianStock } from './packs/median-stock.ts';
import { packWarnings } from './packs/pack-warnings.ts';
import { crossedQuantiles, quantileBands } from './packs/quantile-order.ts';
import { eachRangeOnce, openedPack, remoteSources } from './packs/remote-sources.ts';
import { tableCell } from './packs/sample-table.ts';
import { absentCovariates, type SampledCell, sampledCells } from './packs/sampled-cells.ts';

const HELP = `Usage: npm run --silent pack-check -- <folder of a pack> [--year 2020] [--near=lon,lat] [--cells 100] [--stage dev|prod|local]

Checks a model pack as a deployment does, all its periods, then predicts some cells of the map for the
year (required if there are several), spread over the grid or near a position. Writes them to standard
output as CSV: position, covariates as the model receives them, bands in their unit. Warns on standard
error of covariates and predictions outside the values of the training, of values that the property
cannot have, of one value in all cells, and of means outside their quantiles; prints the median cell's
stock. Fails if a lower quantile is
above a higher one in any of the cells. Predicts 100 cells by default, 5 with covariates at a URL.

Exit code 1: the pack is not usable; 2: the command line is invalid.`;

const USUAL_CELLS = { local: 100, remote: 5 };

/** `npm run pack-check -- models/meuse-soc` */
async function main(): Promise<void> {
  const { folder, year, near, cells: wanted, stage } = options();
  if (folder === undefined) return console.log(HELP);
  const { memoryMb } = readStageConfig(stage);
  const [modelsFolder, name] = [dirname(resolve(folder)), basename(resolve(folder))];
  const deployed = { modelsFolder, modelPacks: [name], memoryMb };
  const remote = eachRangeOnce(remoteSources());
  const { unchecked } = await readUsablePacks(deployed, remote);
  for (const line of unchecked) console.error(`not checked: ${line}`);
  const opened = await openedPack(folder, remote);
  console.error(`${opened.ref} can be deployed: ${sizeOf(opened)}`);
  const pack = mapOfYear(opened, year);
  for (const line of await packWarnings(pack)) console.error(`warning: ${line}`);
  const cells = wanted ?? usualCells(pack);
  const { cells: found, tried } = await sampledCells(
    pack,
    cells,
    near === null ? null : cellNear(pack, near),
  );
  if (found.length === 0) {
    const absent = (await absentCovariates(pack)).join(', ');
    const why =
      absent === ''
        ? 'their extents do not overlap'
        : `these have no value in any cell that was tried: ${absent}`;
    throw new CommandError(
      `no cell has all covariates (${tried} tried): ${why}. Check their extents and their nodata`,
      1,
    );
  }
  if (found.length < cells) {
    console.error(
      `found ${found.length} of ${cells} cells: none of the other ${tried - found.length} tried cells has all covariates`,
    );
  }
  for (const line of tableOf(pack, found)) console.log(line);
  const means = found.map(({ bands }) => bands[findMeanBand(pack.manifest)]);
  for (const line of medianStock(pack.manifest, 'the median cell', means)) console.error(line);
  for (const { isWarning, text } of cellRemarks(pack.manifest, found)) {
    console.error(isWarning ? `warning: ${text}` : text);
  }
  const crossed = crossedQuantiles(quantileBands(pack.manifest), found);
  if (crossed !== null) throw new CommandError(crossed, 1);
}

/** Each cell of a remote covariate is a request. */
function usualCells(pack: Pack): number {
  return listCovariateUrls(pack).length > 0 ? USUAL_CELLS.remote : USUAL_CELLS.local;
}

function options(): {
  folder?: string | undefined;
  year: number | null;
  near: LonLat | null;
  cells: number | null;
  stage?: string | undefined;
} {
  const { values, positionals } = parseOptions({
    options: {
      year: { type: 'string' },
      near: { type: 'string' },
      cells: { type: 'string' },
      stage: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  const cells = values.cells === undefined ? null : Number(values.cells);
  if (cells !== null && (!Number.isInteger(cells) || cells < 1)) {
    throw new CommandError(`--cells must be a whole number from 1; got ${values.cells}`);
  }
  const [folder, ...others] = positionals;
  const year = yearOf(values.year);
  const near = nearOf(values.near);
  if (values.help === true) return { cells, year, near };
  if (folder === undefined || others.length > 0)
    throw new CommandError('expected exactly one argument: the folder of a pack');
  return { folder, cells, year, near, stage: values.stage };
}

function nearOf(text: string | undefined): LonLat | null {
  if (text === undefined) return null;
  const [lon = Number.NaN, lat = Number.NaN, ...others] = text.split(',').map(Number);
  if (Math.abs(lon) <= 180 && Math.abs(lat) <= 90 && others.length === 0) return [lon, lat];
  throw new CommandError(`--near must be lon,lat in degrees, such as 5.73,50.97; got ${text}`);
}

function cellNear(pack: Pack, near: LonLat): GridCell {
  const cell = cellsAt(pack)(near);
  if (cell !== null) return cell;
  throw new CommandError(`${near} is not on the grid${swapHint(pack, [near])}`, 1);
}

function sizeOf({ manifest: { grid, property } }: Pack): string {
  const depth = property.depth_cm.join('–');
  return `${property.name} (${property.unit}), ${depth} cm; ${grid.width} × ${grid.height} cells of EPSG:${grid.crs.epsg}`;
}

function* tableOf({ manifest }: Pack, cells: readonly SampledCell[]): Generator<string> {
  const names = [...manifest.covariates, ...manifest.bands].map(({ name }) => name);
  yield ['lon', 'lat', 'cell_x', 'cell_y', ...names].join(',');
  for (const { lonLat, xy, covariates, bands } of cells) {
    const position = [...lonLat.map((degree) => degree.toFixed(6)), ...xy];
    yield [...position, ...[...covariates, ...bands].map(tableCell)].join(',');
  }
}

await runCommand('pack-check', main);
