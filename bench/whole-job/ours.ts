import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJobPolygon } from '#engine/geometry/parse.ts';
import { loadPack, type Pack } from '#engine/model/pack/pack.ts';
import { openPackFolder } from '#engine/model/pack/pack-folder.ts';
import { predictStrips } from '#engine/model/predict-window.ts';
import { assembleCog } from '#engine/raster/cog/assemble.ts';
import { createBlockEncoder } from '#engine/raster/cog/block-encoder.ts';
import type { RasterDescription } from '#engine/raster/cog/raster.ts';
import { type Window, windowOrigin } from '#engine/raster/grid/grid.ts';
import { drawCellMask, planCells } from '#engine/raster/grid/plan.ts';
import { projectPolygon } from '#engine/raster/grid/project.ts';
import { createBlockSummer } from '#engine/raster/summary/sum-cells.ts';
import { summariseJob } from '../../lambdas/domain/job/finishing/summarise-job.ts';
import { selectSummedField } from '../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import {
  createLocalSource,
  createLocalTarget,
  readBlockIndex,
  writeBlock,
} from '../cog/local-store.ts';
import type { Measured } from '../measured-process.ts';
import { measureOwnUse } from '../own-use.ts';

// Usage: ours.ts PACK POLYGON WORK TARGET [AGAIN]
// Runs the steps of a job in one process on one thread: plan, a block for each patch-batch, assembly, summary. Then
// repeats them AGAIN times, like a warm function.

const startedAt = performance.now();
const [folder = '', polygonFile = '', work = '', target = '', again = '0'] = process.argv.slice(2);
const pack = await loadPack(openPackFolder(folder));
const points = await runJob();
const first = measureOwnUse(startedAt);
const warm: Measured[] = [];
for (let i = 0; i < Number(again); i += 1) {
  const before = measureOwnUse(startedAt);
  await runJob();
  const { wall_s, cpu_s, peak_mib } = measureOwnUse(startedAt);
  warm.push({ wall_s: wall_s - before.wall_s, cpu_s: cpu_s - before.cpu_s, peak_mib });
}
console.log(JSON.stringify({ ...first, points, warm }));

async function runJob(): Promise<number> {
  const { grid, nodata, bands } = pack.manifest;
  const parsed = parseJobPolygon(JSON.parse(readFileSync(polygonFile, 'utf8')));
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  const plan = planCells(parsed.polygon, grid);
  if (plan === null) throw new Error('the polygon does not overlap the grid');

  const projected = projectPolygon(parsed.polygon, grid);
  const stored: { ref: string; col: number; row: number }[] = [];
  for (const block of plan.blocks) {
    const drawMask = (strip: Window) => drawCellMask(projected, strip, plan);
    const encoder = createBlockEncoder({
      width: block.width,
      height: block.height,
      sampleType: 'float32',
      resampling: bands.map(() => 'average'),
      nodata,
      tileSize: grid.tile_size,
      blockTiles: plan.blockTiles,
      compression: 'deflate',
    });
    const field = selectSummedField(pack.manifest, plan, block, projected);
    if (field === null) throw new Error('the pack predicts no mean');
    const summer = createBlockSummer(field);
    for await (const { window, cells, mask } of predictStrips(pack, block, drawMask)) {
      encoder.addRows(cells);
      summer.addRows(window, cells, mask);
    }
    const ref = `block-${block.idx}`;
    await writeBlock(work, ref, encoder.finish(summer.finish(null)));
    stored.push({ ref, col: block.col - plan.window.col, row: block.row - plan.window.row });
  }
  const blocks = await Promise.all(
    stored.map(async (block) => ({ ...block, index: await readBlockIndex(work, block.ref) })),
  );
  await assembleCog({
    raster: describeRaster(pack, plan.window, plan.blockTiles),
    blocks,
    source: createLocalSource(work),
    target: createLocalTarget(work, join(target)),
  });
  await summariseJob(pack.manifest, plan, parsed.polygon, blocks, createLocalSource(work));
  return plan.pointCount;
}

function describeRaster({ manifest }: Pack, window: Window, blockTiles: number): RasterDescription {
  return {
    width: window.width,
    height: window.height,
    crs: { epsg: manifest.grid.crs.epsg, name: manifest.grid.crs.name, geographic: false },
    origin: windowOrigin(window, manifest.grid),
    cellSize: manifest.grid.cell_size,
    tileSize: manifest.grid.tile_size,
    blockTiles,
    bands: manifest.bands.map(({ name, description }) => ({
      name,
      description,
      unit: manifest.property.unit,
    })),
    nodata: manifest.nodata,
    tags: {},
  };
}
