import { basename, dirname, resolve } from 'node:path';
import type { z } from 'zod';
import type { Pack } from '#engine/model/pack/pack.ts';
import { listCovariateUrls } from '#engine/model/pack/periods.ts';
import { readUsablePacks } from '../lib/build/model-packs.ts';
import { readStageConfig } from '../lib/config/each-stage.ts';
import { runCommand } from './operator/command.ts';
import {
  countSwapped,
  createCellFinder,
  type LonLat,
  requireOnGrid,
} from './packs/covariates-at.ts';
import { describePack } from './packs/described-pack.ts';
import { chooseMap } from './packs/map-of-year.ts';
import { predictPlaces } from './packs/predicted-cell.ts';
import { cacheRanges, openPack, remoteSources } from './packs/remote-sources.ts';
import { predictRequest, readRequest } from './packs/request.ts';
import { findAbsentCovariates, listMapCells, sampleCells } from './packs/sampled-cells.ts';

type Request = z.infer<typeof predictRequest>;

const USUAL_CELLS = { local: 100, remote: 5 };

/**
 * Predicts cells as they would be stored, with the service's reader and model. Prints the data that `soil_packs`
 * judges: the manifest as the service reads it, the covariates' headers, and each place with its cell, covariates and
 * bands.
 */
async function main(): Promise<void> {
  const request = await readRequest(predictRequest);
  const remote = cacheRanges(remoteSources());
  const unchecked = await checkAsDeployed(request, remote);
  const pack = chooseMap(await openPack(request.folder, remote), request.year);
  const described = { pack: await describePack(pack), unchecked };
  const { positions } = request;
  const predicted =
    positions === null
      ? await predictCells(pack, request)
      : await predictSamples(pack, positions, request);
  console.log(JSON.stringify({ ...described, ...predicted }));
}

/**
 * @returns one line for each thing that could not be checked because a server did not respond. Throws an error with a
 * line for each problem.
 */
async function checkAsDeployed(
  { folder, stage }: Request,
  remote: ReturnType<typeof remoteSources>,
): Promise<readonly string[]> {
  if (stage === null) return [];
  const { memoryMb } = readStageConfig(stage);
  const [modelsFolder, name] = [dirname(resolve(folder)), basename(resolve(folder))];
  return (await readUsablePacks({ modelsFolder, modelPacks: [name], memoryMb }, remote)).unchecked;
}

async function predictSamples(
  pack: Pack,
  positions: readonly LonLat[],
  { training, cells }: Request,
) {
  requireOnGrid(pack, positions);
  const cellAt = createCellFinder(pack);
  const trained = training.flatMap((position) => {
    const cell = cellAt(position);
    return cell === null ? [] : [[cell.col, cell.row]];
  });
  return {
    places: await predictPlaces(pack, positions),
    swapped: countSwapped(pack, positions),
    trained_cells: trained,
    // Covariates at URLs are read only for the samples, because each cell needs a request to a publisher.
    map_cells: listCovariateUrls(pack).length > 0 ? [] : await listMapCells(pack, cells ?? 0),
  };
}

async function predictCells(pack: Pack, { cells, near }: Request) {
  if (near !== null) requireOnGrid(pack, [near]);
  const usual = listCovariateUrls(pack).length > 0 ? USUAL_CELLS.remote : USUAL_CELLS.local;
  const wanted = cells ?? usual;
  const found = await sampleCells(
    pack,
    wanted,
    near === null ? null : createCellFinder(pack)(near),
  );
  const absent = found.cells.length > 0 ? [] : await findAbsentCovariates(pack);
  return { places: found.cells, tried: found.tried, wanted, absent };
}

await runCommand('pack-predict', main);
