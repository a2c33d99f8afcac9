import { CommandError, runCommand } from './operator/command.ts';
import { parseOptions } from './operator/command-line.ts';
import { covariatesAt, requireOnGrid } from './packs/covariates-at.ts';
import { chooseMap, parseYear } from './packs/map-of-year.ts';
import { readPositions } from './packs/positions-on-stdin.ts';
import { openPack } from './packs/remote-sources.ts';

const HELP = `Usage: npx tsx bin/pack-sample.ts <folder of a pack> [--year 2020] < positions.json

Prints as JSON the covariates that a prediction of each position's cell uses: null where missing, and
instead of all of a position outside the grid. Reads {"positions": [[lon, lat], …]} (WGS84). It needs no graph.
\`npm run pack-sample\` adds them to a table of samples.

Exit code 1: no position lies on the grid, or a file could not be read; 2: the command line is invalid.`;

/** `soil_packs/service.py` runs it. */
async function main(): Promise<void> {
  const { values, positionals } = parseOptions({
    options: { year: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help === true) return console.log(HELP);
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0)
    throw new CommandError('expected exactly one argument: the folder of a pack');
  const year = parseYear(values.year);
  const { positions } = await readPositions();
  const pack = chooseMap(await openPack(folder), year);
  requireOnGrid(pack, positions);
  const read = covariatesAt(pack);
  const found: (readonly number[] | null)[] = [];
  for (const position of positions) found.push(await read(position));
  if (!found.some((values) => values !== null && !values.some(Number.isNaN))) {
    const outside = found.filter((values) => values === null).length;
    throw new CommandError(
      `none of the ${found.length} samples has all covariates: ${outside} lie outside the grid`,
      1,
    );
  }
  const names = pack.manifest.covariates.map(({ name }) => name);
  const missing = names.map(() => Number.NaN);
  console.log(JSON.stringify({ names, samples: found.map((values) => values ?? missing) }));
}

await runCommand('pack-sample', main);
