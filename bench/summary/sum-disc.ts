import { mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Grid } from '#engine/raster/grid/grid.ts';
import { createGroundMetrics } from '#engine/raster/grid/ground.ts';
import { rasterise } from '#engine/raster/grid/rasterise.ts';
import { chooseNodeEdges } from '#engine/raster/summary/correlation.ts';
import { type BlockNodes, createNodeReader } from '#engine/raster/summary/raster-nodes.ts';
import { createBlockSummer } from '#engine/raster/summary/sum-cells.ts';
import { sumWithinJob } from '#engine/raster/summary/sum-within-job.ts';

// The summary of a disc: blocks of 4,096² cells of 10 m, nodes in files as they are in S3.
const [size = 1_000] = process.argv.slice(2).map(Number);
const BLOCK = 4_096;
const STRIP = 512;
const BANDS = 3;
const NODATA = -9_999;
const CORRELATION = { nugget: 0.3, rangeMetres: 150 };
const band = (index: number) => ({ index, scale: 1, offset: 0 });

const window = { col: 0, row: 0, width: size, height: size };
const grid: Grid = {
  crs: { epsg: 32631, name: 'UTM 31N', proj4: '+proj=utm +zone=31 +datum=WGS84' },
  origin: [400_000, 5_700_000],
  ...{ cell_size: 10, width: size, height: size, tile_size: STRIP, block_tiles: 8 },
};
const ring = Float64Array.from({ length: 2 * 1_001 }, (_, i) => {
  const angle = (Math.floor(i / 2) * 2 * Math.PI) / 1_000;
  return size / 2 + (size / 2 - 0.3) * (i % 2 === 0 ? Math.cos(angle) : Math.sin(angle));
});
const projected = { rings: [ring], partOfRing: [0], isHole: [false] };
const pointCount = Math.round((Math.PI / 4) * size * size);
const centre = createGroundMetrics(grid)(size / 2, size / 2);
const edges = chooseNodeEdges({ ...window, pointCount }, centre, CORRELATION);
const support = { lower: 0, upper: Infinity };
const errors = { lower: band(1), upper: band(2), z: 1.645, systematicRelativeSd: 0.1, edges };

const folder = mkdtempSync(join(tmpdir(), 'bench-summary-'));
const files = new Map<string, number>();
const cells = Float32Array.from({ length: STRIP * BLOCK * BANDS }, (_, i) => {
  const value = 40 + Math.sin(i / 7) * 10;
  return i % BANDS === 0 ? value : value + (i % BANDS === 1 ? -18 : 22);
});
const cpuSeconds = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
};

let sumCpu = 0;
const stored: BlockNodes[] = [];
for (let row = 0; row < size; row += BLOCK) {
  for (let col = 0; col < size; col += BLOCK) {
    const block = {
      col,
      row,
      width: Math.min(BLOCK, size - col),
      height: Math.min(BLOCK, size - row),
    };
    const field = { projected, grid, window, block, bands: BANDS, nodata: NODATA, support };
    const summer = createBlockSummer({ ...field, mean: band(0), errors });
    for (let top = 0; top < block.height; top += STRIP) {
      const strip = { ...block, row: row + top, height: Math.min(STRIP, block.height - top) };
      // Made for the prediction anyway.
      const belongs = rasterise(projected, strip);
      const started = process.cpuUsage();
      summer.addRows(strip, cells, belongs);
      sumCpu += cpuSeconds(started);
    }
    const { sums, nodes } = summer.finish(null);
    if (sums.errors === null) continue;
    const ref = join(folder, `${col}-${row}`);
    writeFileSync(ref, Buffer.concat(nodes));
    files.set(ref, openSync(ref, 'r'));
    stored.push({ ref, offset: 0, errors: sums.errors });
  }
}
const source = {
  readInto: async (ref: string, offset: number, into: Uint8Array): Promise<void> => {
    readSync(files.get(ref) ?? -1, into, 0, into.length, offset);
  },
};
globalThis.gc?.();
const before = process.memoryUsage.rss();
const started = process.cpuUsage();
let peak = before;
const nodes = createNodeReader(stored, edges, { window, grid, source });
const watched = {
  ...nodes,
  metric: (col: number, row: number) => {
    peak = Math.max(peak, process.memoryUsage.rss());
    return nodes.metric(col, row);
  },
};
await sumWithinJob(watched, CORRELATION);
const assembleCpu = cpuSeconds(started);
rmSync(folder, { recursive: true });
const added = Math.max(peak - before, 0) / 2 ** 20;
console.log(JSON.stringify({ pointCount, edge: edges.cols, sumCpu, assembleCpu, addedMib: added }));
