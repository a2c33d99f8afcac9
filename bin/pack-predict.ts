import { basename, dirname, resolve } from 'node:path';
import type { Pack } from '#engine/model/pack/pack.ts';
import { listCovariateUrls } from '#engine/model/pack/periods.ts';
import { readUsablePacks } from '../lib/build/model-packs.ts';
import { readStageConfig } from '../lib/config/each-stage.ts';
import type { StageName } from '../lib/stages.ts';
import { CommandError, runCommand } from './operator/command.ts';
import { parseOptions, parseStage } from './operator/command-line.ts';
import { cellsAt, type GridCell, type LonLat, requireOnGrid } from './packs/covariates-at.ts';
import { describePack } from './packs/described-pack.ts';
import { chooseMap, parseYear } from './packs/map-of-year.ts';
import { readPositions } from './packs/positions-on-stdin.ts';
import { predictPlaces } from './packs/predicted-cell.ts';
import { eachRangeOnce, openPack, remoteSources } from './packs/remote-sources.ts';
import { findAbsentCovariates, sampleCells } from './packs/sampled-cells.ts';

const HELP = `Usage: npx tsx bin/pack-predict.ts <folder of a pack> [options]

Predicts with the reader and the model of the service, to the stored cell, and prints JSON, which
\`npm run pack-check\` and \`npm run pack-validate\` judge: the manifest as the service reads it, what it reads in
the covariates' headers, and each place with its cell, covariates and bands.

  --year <year>     of the map; required if the pack has several periods
  --cells <count>   predicts so many cells (default: 100, 5 with covariates at a URL) spread over the grid
  --near <lon,lat>  takes them near a position
  --positions       instead predicts the cells at {"positions": [[lon, lat], …]} of standard input, and
                    finds the cells at its "training"
  --stage <stage>   first checks the pack as a deployment of local, dev or prod does, in all its periods

Exit code 1: the pack is not usable; 2: the command line is invalid.`;

const USUAL_CELLS = { local: 100, remote: 5 };

/** `soil_packs/service.py` runs it. */
async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) return console.log(HELP);
  const { folder, year, near, cells, stage, hasPositions } = options;
  const remote = eachRangeOnce(remoteSources());
  const unchecked = stage === null ? [] : await checkAsDeployed(folder, stage, remote);
  const pack = chooseMap(await openPack(folder, remote), year);
  const described = { pack: await describePack(pack), unchecked };
  const predicted = hasPositions
    ? await predictPositions(pack)
    : await predictCells(pack, cells, near);
  console.log(JSON.stringify({ ...described, ...predicted }));
}

/** @returns one line for each thing that a server did not tell now. Throws a line for each problem. */
async function checkAsDeployed(
  folder: string,
  stage: StageName,
  remote: ReturnType<typeof remoteSources>,
): Promise<readonly string[]> {
  const { memoryMb } = readStageConfig(stage);
  const [modelsFolder, name] = [dirname(resolve(folder)), basename(resolve(folder))];
  return (await readUsablePacks({ modelsFolder, modelPacks: [name], memoryMb }, remote)).unchecked;
}

async function predictPositions(pack: Pack) {
  const { positions, training } = await readPositions();
  requireOnGrid(pack, positions);
  const cellAt = cellsAt(pack);
  const trained = training.flatMap((position) => {
    const cell = cellAt(position);
    return cell === null ? [] : [[cell.col, cell.row]];
  });
  return { places: await predictPlaces(pack, positions), trained_cells: trained };
}

async function predictCells(pack: Pack, cells: number | null, near: LonLat | null) {
  // Each cell of a remote covariate is a request.
  const wanted =
    cells ?? (listCovariateUrls(pack).length > 0 ? USUAL_CELLS.remote : USUAL_CELLS.local);
  const found = await sampleCells(pack, wanted, near === null ? null : cellNear(pack, near));
  const absent = found.cells.length > 0 ? [] : await findAbsentCovariates(pack);
  return { places: found.cells, tried: found.tried, wanted, absent };
}

function cellNear(pack: Pack, near: LonLat): GridCell | null {
  requireOnGrid(pack, [near]);
  return cellsAt(pack)(near);
}

interface Options {
  readonly folder: string;
  readonly year: number | null;
  readonly near: LonLat | null;
  readonly cells: number | null;
  readonly hasPositions: boolean;
  /** Null: it need not be deployable. */
  readonly stage: StageName | null;
}

/** The arguments, or null if the command line asks for `--help`. */
function readOptions(): Options | null {
  const { values, positionals } = parseOptions({
    options: {
      year: { type: 'string' },
      near: { type: 'string' },
      cells: { type: 'string' },
      positions: { type: 'boolean', default: false },
      stage: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help === true) return null;
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0)
    throw new CommandError('expected exactly one argument: the folder of a pack');
  const cells = values.cells === undefined ? null : Number(values.cells);
  if (cells !== null && (!Number.isInteger(cells) || cells < 1)) {
    throw new CommandError(`--cells must be a whole number from 1; got ${values.cells}`);
  }
  return {
    ...{ folder, cells, year: parseYear(values.year), near: parsePosition(values.near) },
    hasPositions: values.positions,
    stage: values.stage === undefined ? null : parseStage(values.stage),
  };
}

function parsePosition(text: string | undefined): LonLat | null {
  if (text === undefined) return null;
  const [lon = Number.NaN, lat = Number.NaN, ...others] = text.split(',').map(Number);
  if (Math.abs(lon) <= 180 && Math.abs(lat) <= 90 && others.length === 0) return [lon, lat];
  throw new CommandError(`--near must be lon,lat in degrees, such as 5.73,50.97; got ${text}`);
}

await runCommand('pack-predict', main);
