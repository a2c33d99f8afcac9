import type { Pack } from '#engine/model/pack/pack.ts';
import { CommandError, runCommand } from './operator/command.ts';
import {
  type CellsAround,
  countSwapped,
  createCovariateReader,
  createNeighbourhoodReader,
  type LonLat,
  listSteps,
  requireOnGrid,
} from './packs/covariates-at.ts';
import { chooseMap } from './packs/map-of-year.ts';
import { openPack } from './packs/remote-sources.ts';
import { readRequest, sampleRequest } from './packs/request.ts';

/**
 * Prints the covariates that a prediction of each position's cell uses, with null for missing values. The pack may lack
 * its graph.
 */
async function main(): Promise<void> {
  const { folder, year, positions, rounding } = await readRequest(sampleRequest);
  const pack = chooseMap(await openPack(folder), year);
  requireOnGrid(pack, positions);
  const read = createCovariateReader(pack);
  const found: (readonly number[] | null)[] = [];
  for (const position of positions) found.push(await read(position));
  if (!found.some((values) => values !== null && !values.some(Number.isNaN))) {
    const outside = found.filter((values) => values === null).length;
    throw new CommandError(
      `no sample has all covariates; samples: ${found.length}, of which outside the grid: ${outside}`,
      1,
    );
  }
  const names = pack.manifest.covariates.map(({ name }) => name);
  const missing = names.map(() => Number.NaN);
  const samples = found.map((values) => values ?? missing);
  const swapped = countSwapped(pack, positions);
  const around = rounding === null ? {} : await readAround(pack, positions, rounding);
  console.log(JSON.stringify({ names, samples, swapped, ...around }));
}

async function readAround(pack: Pack, positions: readonly LonLat[], rounding: LonLat) {
  const readCells = createNeighbourhoodReader(pack, rounding);
  const around: (CellsAround | null)[] = [];
  for (const position of positions) around.push(await readCells(position));
  return { around, steps: await listSteps(pack) };
}

await runCommand('pack-sample', main);
