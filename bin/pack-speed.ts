import type { Pack } from '#engine/model/pack/pack.ts';
import { listPackPeriods } from '#engine/model/pack/periods.ts';
import { predictWindow } from '#engine/model/predict-window.ts';
import { CommandError, runCommand } from './operator/command.ts';
import { readFolderArgument } from './operator/command-line.ts';
import { openPack } from './packs/remote-sources.ts';

/** Long enough that start-up and warm-up have little effect. */
const CPU_SECONDS = 20;
const EDGE_TILES = 2;
/**
 * The number of consecutive windows without a point after which the measurement ends. It is high, because a pack may
 * cover little of its grid.
 */
const EMPTY_WINDOWS = 2_000;

const HELP = `Usage: npm run pack-speed -- <folder of a pack>

Measures how many points one vCPU predicts per second with this pack, including reading covariates, for
points_per_second in its manifest. It measures the CPU time of one thread, so that other load on the machine
has little effect.

Exit code 1: the pack could not be read, or no point is predicted; 2: the command line is invalid.`;

async function main(): Promise<void> {
  const folder = readFolderArgument('models/meuse-soc');
  if (folder === null) return console.log(HELP);
  const pack = listPackPeriods(await openPack(folder)).at(-1);
  if (pack === undefined) throw new Error('the pack has no map');
  await predictRandomWindow(pack);

  let [points, seconds, empty] = [0, 0, 0];
  while (seconds < CPU_SECONDS && empty < EMPTY_WINDOWS) {
    const before = process.cpuUsage();
    const predicted = await predictRandomWindow(pack);
    const { user, system } = process.cpuUsage(before);
    empty = predicted === 0 ? empty + 1 : 0;
    if (predicted === 0) continue;
    points += predicted;
    seconds += (user + system) / 1e6;
  }
  if (points === 0) {
    throw new CommandError(`none of ${EMPTY_WINDOWS} windows has a point to predict`, 1);
  }
  const perSecond = points / seconds;
  console.log(`${points} points in ${seconds.toFixed(1)} s of CPU time`);
  console.log(`"points_per_second": ${Number(perSecond.toPrecision(2))}`);
}

async function predictRandomWindow(pack: Pack): Promise<number> {
  const { width, height, tile_size } = pack.manifest.grid;
  const size = {
    width: Math.min(width, EDGE_TILES * tile_size),
    height: Math.min(height, EDGE_TILES * tile_size),
  };
  const col = Math.floor(Math.random() * (width - size.width + 1));
  const row = Math.floor(Math.random() * (height - size.height + 1));
  const inside = new Uint8Array(size.width * size.height).fill(1);
  return (await predictWindow(pack, { col, row, ...size }, inside)).predicted;
}

await runCommand('pack-speed', main);
